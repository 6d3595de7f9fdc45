import { mutantsOf } from './mutant.js';

const cache = mutantsOf('src/engine/store/cached-sessions.ts');
const memory = mutantsOf('src/features/erasure/erased-memory.ts');
const specs = ['test/contract/cached-sessions'];

export const sessions = [
  cache(
    'a cached session keeps what was erased',
    "if (events.some((event) => (event.type === 'content.erased' || event.erased) && event.seq > known.state.version)) {",
    'if (events.length < 0) {',
    {
      specs,
    },
  ),
  cache('what was erased during a fold is cached', 'if (!folding.forgotten) return', 'return', { specs }),
  cache('what was erased between two pages is folded', 'if (!erasures.add(events)) return null;', 'erasures.add(events);', { specs }),
  cache('events are applied twice', 'if (event.seq <= known.state.version) continue;', '', { specs }),
  cache('events are applied after a gap', 'if (known.state.version < after) return null;', '', { specs }),
  cache('nothing is evicted', 'if (this.#bytes <= this.maxBytes || this.#cached.size === 1) return;', 'return;', { specs }),
  cache('the size of what was evicted still counts', 'this.#bytes -= known.bytes;', '', { specs }),
  cache('what is not used is never evicted', 'if (usedAt > before) return;', 'return;', { specs }),
  cache('what is used counts as unused', 'known.usedAt = this.limits.clock();', '', { specs }),
  cache('erasures that were found late are not dropped', 'for (const { tenantId, sessionId } of erased) this.forget(tenantId, sessionId);', '', { specs }),
  cache('a fork begins empty', 'if (from) folded =', 'if (!from) folded =', { specs }),
  cache('a load ends with its first page', 'if (state && events.length < PAGE) return state;', 'if (state) return state;', { specs }),
  cache('a fold ends with its first page', 'isLast = events.length < PAGE;', 'isLast = true;', { specs }),
  cache('listeners are not told of evictions', 'for (const listener of this.#listeners) listener(state);', '', {
    specs: ['test/contract/cached-sessions', 'test/normalize', 'test/leaks'],
  }),
  cache('what an erasure forgets stays cached', 'if (folding) folding.forgotten = true;\n    this.#remove(key);', 'if (folding) folding.forgotten = true;', {
    specs,
  }),
  memory('an announced erasure is not forgotten', 'if (erased) this.#forget(erased.tenantId, erased.sessionId);', 'if (erased) return;'),
];
