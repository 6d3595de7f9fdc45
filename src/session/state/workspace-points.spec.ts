import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { historyOfFiles } from '../../../test/support/histories.js';
import { runs } from '../../../test/support/property-runs.js';
import { filesOf } from './workspace.js';
import { versionAt } from './workspace-points.js';

const sorted = (files: ReadonlyMap<string, unknown>): unknown => [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));

it('after any turns, rewinds with and without files, edits, restores, switches of branches and forks the files are those of then, now and before and after each message', () => {
  fc.assert(
    fc.property(historyOfFiles, ({ state, truth }) => {
      const at = (version: string | null): unknown => sorted(filesOf(state.workspace, version));
      expect(at(state.workspace.head)).toEqual(sorted(truth.folder));
      for (const uuid of state.messages.keys()) {
        expect(at(versionAt(state, { after: uuid }))).toEqual(sorted(truth.after.get(uuid)!));
        expect(at(versionAt(state, { before: uuid }))).toEqual(sorted(truth.before.get(uuid)!));
      }
    }),
    runs(1_000),
  );
});
