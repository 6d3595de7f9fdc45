import { mutantsOf } from './mutant.js';

const cache = mutantsOf('src/engine/store/cached-sessions.ts');
const folded = mutantsOf('src/engine/store/folded-state.ts');
const memory = mutantsOf('src/features/erasure/erased-memory.ts');
/** Noticed by what is faster than the simulation. */
const spec = { simulated: false as const, specs: ['test/contract/cached-sessions'] };

const steps = mutantsOf('src/session/stored-file/write-steps.ts');
const kept = { simulated: false as const, specs: ['src/session/stored-file/'] };

const tail = mutantsOf('src/session/stored-file/file-tail.ts');

export const sessions = [
  tail('a line continues a session file that is not its child', ' && entry?.parent === before.uuid;', ';', kept),
  tail('a session file that takes something back is read from its end', 'preserved === null && withdraws.length === 0 && ', '', kept),
  steps('a message of a session file that a request was made of is replaced', '(isSame || record.seq > sent)', '(isSame || record.seq > -1)', kept),
  steps('a message of a session file keeps a parent that it has no more', ' && record.message.parentUuid === parent;', ';', kept),
  steps('further lines of an answer are not written', 'isEqual(lines, known) && ', '', kept),
  steps('the head of a session file stays where it was', 'if (at !== head && (written.size > 0 || isOtherHead)) begin(head);', '', kept),
  cache(
    'a cached session keeps what was erased',
    "if (events.some((event) => (event.type === 'content.erased' || event.erased) && event.seq > known.state.version)) {",
    'if (events.length < 0) {',
    spec,
  ),
  cache('what was erased during a fold is cached', 'if (!folding.forgotten) return', 'return', spec),
  cache('what was erased between two pages is folded', 'if (!erasures.add(events)) return null;', 'erasures.add(events);', spec),
  folded('events are applied twice', 'if (event.seq <= known.state.version) continue;', '', { specs: spec.specs }),
  cache('events are applied after a gap', 'if (known.state.version < after) return null;', '', { specs: spec.specs }),
  cache('nothing is evicted', 'if (this.#bytes <= this.maxBytes || this.#cached.size === 1) return;', 'return;', spec),
  cache('the size of what was evicted still counts', 'this.#bytes -= known.bytes;', '', spec),
  cache('what is not used is never evicted', 'if (usedAt > before) return;', 'return;', spec),
  cache('what is used counts as unused', 'known.usedAt = this.limits.clock();', '', spec),
  cache('erasures that were found late are not dropped', 'for (const { tenantId, sessionId } of erased) this.forget(tenantId, sessionId);', '', spec),
  cache('a fork begins empty', 'if (from) folded =', 'if (!from) folded =', { specs: spec.specs }),
  cache('a load ends with its first page', 'if (state && events.length < PAGE) return state;', 'if (state) return state;', spec),
  cache('a fold ends with its first page', 'isLast = events.length < PAGE;', 'isLast = true;', spec),
  cache('listeners are not told of evictions', 'for (const listener of this.#listeners) listener(state);', '', {
    simulated: false,
    specs: ['test/contract/cached-sessions'],
  }),
  cache(
    'what an erasure forgets stays cached',
    'if (folding) folding.forgotten = true;\n    this.#remove(key);',
    'if (folding) folding.forgotten = true;',
    spec,
  ),
  memory('an announced erasure is not forgotten', 'if (erased) this.#forget(erased.tenantId, erased.sessionId);', 'if (erased) return;', {
    simulated: false,
    specs: ['test/simulation/scenes'],
  }),
];
