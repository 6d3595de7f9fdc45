import { mutantsOf } from './mutant.js';

const tail = mutantsOf('src/http/stream/session-tail.ts');
const shared = mutantsOf('src/http/stream/shared-reads.ts');
const batch = mutantsOf('src/http/stream/batch.ts');

export const streams = [
  tail('an event is told again when it is announced again', 'signal.events?.[0]?.seq === this.position + 1', 'signal.events !== undefined'),
  tail('events that are announced during a read are told twice', 'if (!this.#reading && signal.events', 'if (signal.events'),
  tail('the position does not move', 'this.position = last.seq;', ''),
  tail('a hint during a read is lost', 'if (this.#reading) this.#pollAgain = true;', 'if (this.#reading) return;'),
  tail('a heartbeat does not read', '#heartbeat(): void {\n    this.#poll();', '#heartbeat(): void {', { simulated: false, specs: ['test/http/session-tail'] }),
  tail('a hint without a number is ignored', ' || signal.seq === 0', '', { simulated: false, specs: ['test/http/session-tail'] }),
  tail('a hint of another process is ignored', 'if (signal.seq > this.position || signal.seq === 0) this.#poll();', 'if (signal.seq === 0) this.#poll();'),
  tail('a batch is never delivered', 'this.#delivery ??= setImmediate(() => this.#deliver());', 'this.#delivery ??= null;'),
  tail('a tail that was closed still listens', '    this.#unsubscribe();\n', '', { specs: ['test/leaks', 'test/http/session-tail'] }),
  shared('reads are shared for ever', 'if (this.#reads.size === 0) setImmediate(() => this.#reads.clear());', '', {
    simulated: false,
    specs: ['src/http/stream/shared-reads'],
  }),
  shared('reads of different keys are shared', 'this.#reads.get(key)', "this.#reads.get('')", { simulated: false, specs: ['src/http/stream/shared-reads'] }),
  batch('a batch after a gap is told as a whole', 'first.event.seq === position + 1', 'position >= 0', {
    simulated: false,
    specs: ['test/http/stream-batches', 'test/http/event-stream', 'test/http/session-tail'],
  }),
];
