import { mutantsOf } from './mutant.js';

/** Their scenes are faster than any number of seeds. */
const scenes = { simulated: false as const, specs: ['test/simulation/scenes'] };
const turns = mutantsOf('src/engine/dispatch/direct-turns.ts');

export const directTurns = [
  turns('leases of direct turns are never renewed', 'new Set(await this.outbox.renew(this.#holder, jobs, leaseMs))', 'new Set(jobs.map(({ id }) => id))'),
  turns('leases of direct turns are renewed after they have ended', 'Math.max(Math.floor(options.leaseMs / 4), 1)', 'options.leaseMs * 2'),
  turns('a turn that has ended keeps its room', 'this.#runs.delete(job.id);', ''),
  turns('a reservation that led to nothing keeps its room', 'release: () => close(),', 'release: () => undefined,'),
  turns('a reservation is never given back', '!this.#reservations.delete(reservation)', '!this.#reservations.has(reservation)'),
  turns(
    'a stop does not wait for appends that may start a turn',
    'while (this.#runs.size + this.#reservations.size > 0)',
    'while (this.#runs.size > 0)',
    scenes,
  ),
  turns('a job of a failed append is not given back', 'this.#unclear.set(job.id, job);', '', scenes),
  turns('a turn that failed is not handed to the queue', 'await this.#release([job]);', '', scenes),
  turns('a job that is given back wakes no relay', 'this.live.notify();', '', scenes),
  turns(
    'the queue gets the room of turns that run without it',
    'Math.max(1, this.#options.concurrency - this.#runs.size)',
    'Math.max(1, this.#options.concurrency)',
    scenes,
  ),
  turns('the queue gets no room while turns run without it', 'Math.max(1, this.#options.concurrency - this.#runs.size)', '0'),
  turns('the room of a turn is not given back to the queue', 'this.#runs.delete(job.id);\n      this.#limitQueue();', 'this.#runs.delete(job.id);'),
  turns('turns are taken without room', 'if (direct >= concurrency || this.#fromQueue * 2 >= concurrency - direct) return null;', '', scenes),
  turns('turns of the queue do not take room', 'this.#fromQueue += 1;', '', scenes),
  turns('a turn of the queue keeps its room', 'this.#fromQueue -= 1;', ''),
  turns('a process that stops takes more turns', 'this.dispatch.provide(() => null);', ''),
  turns('a stop does not wait for the turns that run', 'await this.#idleWithin(graceMs);', '', scenes),
  turns('a turn does not begin', 'await this.#options!.run(job, claim, run.controller.signal);', ''),
  turns('a turn begins a second late', 'setImmediate(resolve)', 'setTimeout(resolve, 1_000)'),
];
