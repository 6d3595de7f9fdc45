import { mutantsOf } from './mutant.js';

const execute = mutantsOf('src/engine/commands/execute.ts');
/** Noticed by what is faster than the simulation. */
const spec = { simulated: false as const, specs: ['test/commands/executor'] };

export const executor = [
  execute('a conflict is decided again on the same stale state', 'attempt === 1 ? this.sessions.known', 'attempt > 0 ? this.sessions.known'),
  execute('a rejection is based on a stale state', '} catch (rejection) {\n        if (cached) continue;', '} catch (rejection) {', spec),
  execute('an empty result is based on a stale state', 'WORKER_ID) {\n        if (cached) continue;', 'WORKER_ID) {', spec),
  execute('a repeat that the state rejects is rejected', 'if (replay) return replay;\n        throw rejection;', 'throw rejection;', spec),
  execute('a fenced worker tries again', "throw new DomainError('turn_over', 'Another worker has claimed this turn.');", 'break;', spec),
  execute('reports are made without their claim', 'claim: context.claim ?? null,', 'claim: null,', spec),
  execute('events are not announced', "if (last) this.live.publish({ kind: 'advanced', sessionId, seq: last.seq, stopped: stoppedIn(events), events });", ''),
  execute(
    'events are announced with the number before theirs',
    'seq: last.seq, stopped: stoppedIn(events), events',
    'seq: last.seq - 1, stopped: stoppedIn(events), events: undefined',
  ),
  execute('an erasure is not announced', "if (events.some(({ type }) => type === 'content.erased'))", 'if (events.length < 0)', {
    simulated: false,
    specs: ['test/simulation/scenes'],
  }),
  execute('no room is offered', 'jobs.length === 1 ? this.dispatch.acquire() : null', 'jobs.length > 9 ? this.dispatch.acquire() : null'),
  execute('a turn that was handed over is not taken', 'if (outcome.claim) slot?.start(jobs[0]!, outcome.claim);', ''),
  execute('an append with pending jobs wakes no relay', 'if (outcome.jobsPending || (jobs.length > 0 && !outcome.claim)) this.live.notify();', ''),
  execute(
    'a lease that became free wakes no relay',
    'if (outcome.jobsPending || (jobs.length > 0 && !outcome.claim))',
    'if (jobs.length > 0 && !outcome.claim)',
  ),
  execute('a job that was not handed over wakes no relay', 'if (outcome.jobsPending || (jobs.length > 0 && !outcome.claim))', 'if (outcome.jobsPending)'),
  execute('an append that handed nothing over keeps its room', "if (outcome.kind !== 'appended' || !outcome.claim) slot?.release();", ''),
  execute('an append that failed keeps its room', 'slot?.releaseUnclear(append.jobs[0]!);', '', { simulated: false, specs: ['test/simulation/scenes'] }),
  execute("a resumed turn's job has the id of its first", "event.type === 'turn.started' ? 0 : state.version + index + 1", '0'),
  execute(
    'an outbox row is deleted when its turn is prepared',
    "      case 'turn.waiting':\n        return",
    "      case 'turn.waiting':\n      case 'turn.prepared':\n        return",
  ),
  execute(
    'an outbox row is deleted when its request is sent',
    "      case 'turn.waiting':\n        return",
    "      case 'turn.waiting':\n      case 'request.sent':\n        return",
  ),
  execute('a turn that waits keeps its job', "      case 'turn.waiting':\n        return", '        return'),
  execute('a turn that failed keeps its job', "      case 'turn.failed':\n", '', { specs: ['test/race/order'] }),
  execute('a turn that was interrupted keeps its job', "      case 'turn.interrupted':\n", ''),
  execute('the end of a resumed turn completes its first job', 'state.turns.get(event.data.turnId)?.segment ?? 0', '0'),
  execute('a command id may be used for another request', '!receipt.sameRequest || receipt.sessionId !== sessionId', 'receipt.sessionId !== sessionId', {
    simulated: false,
    specs: ['test/e2e/retries'],
  }),
  execute('an expected version is not compared', 'if (expected === null || expected === state.version) return;', 'return;', spec),
  execute(
    'a repeat is told the state of now',
    'await this.sessions.loadAt(principal.tenantId, sessionId, receipt.lastSeq)',
    'await this.sessions.load(principal.tenantId, sessionId)',
    spec,
  ),
  execute(
    'commands of one session race in their process',
    'await this.#mutex.run(sessionId, () => this.#execute(context, command, next))',
    'await this.#execute(context, command, next)',
  ),
  execute('a conflict is not tried again', 'const ATTEMPTS = 25;', 'const ATTEMPTS = 1;'),
  execute(
    'access is not required',
    "if (command.type !== 'CreateSession') requireAccess(state, principal);\n        else if",
    "if (command.type === 'CreateSession') if",
    spec,
  ),
];
