import { mutantsOf } from './mutant.js';

const log = mutantsOf('src/engine/turn/workspace-log.ts');
const points = mutantsOf('src/session/state/workspace-points.ts');
const found = mutantsOf('src/session/state/evolve-turn.ts');
const history = mutantsOf('src/session/transfer/history.ts');
const moves = mutantsOf('src/session/transfer/moves.ts');
const erased = mutantsOf('src/session/transfer/file-lines.ts');
const disk = mutantsOf('src/engine/tools/workspaces/snapshot/write.ts');
const property = { simulated: false as const, specs: ['src/session/state/workspace-points'] };
const transfer = { simulated: false as const, specs: ['src/session/transfer/branches'] };
const names = { simulated: false as const, specs: ['src/engine/tools/workspaces/snapshot/write-case'] };

/** The folder of a session and its log: between a step and its record, after rewinds, in exports. */
export const files = [
  log('what a step has changed is not recorded', 'if (!use?.wasUsed()) return;', 'return;'),
  log(
    'files that the log does not have stay in a folder',
    'after === null && !unrecorded.has(path) ? [path] : []',
    'after === null && unrecorded.has(path) ? [path] : []',
  ),
  log('a folder of another version counts as the current one', 'if (marked === markOf(workspace, head) ||', 'if (marked !== undefined ||'),
  points('a rewind to before a prompt keeps what its hooks changed', 'if (record?.filesBefore !== undefined) return record.filesBefore;', '', property),
  found('what something else changed before a turn counts as its change', 'turn.filesBefore = version;', '', property),
  history('an export does not say which files a message had', 'if (files !== head ||', 'if (', transfer),
  history('what was found late stands after the messages that have it', 'places.set(version, seq);', '', transfer),
  moves('an imported rewind leaves the files', 'const moved = files ? { files } : {};', 'const moved = {};', transfer),
  erased('an import forgets that a change was erased', '...(places === undefined ? {} : { removed: places }),', '', transfer),
  disk('two names that are one file on a disk replace each other', 'if (names.has(name)) return;', 'return;', names),
];
