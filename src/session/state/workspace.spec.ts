import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.js';
import type { WorkspaceFile } from '../../../packages/protocol/events/events.js';
import { changeWorkspace, differences, emptyWorkspace, filesOf, inheritWorkspace, moveWorkspace } from './workspace.js';

type Files = ReadonlyMap<string, WorkspaceFile>;

const folder = fc
  .dictionary(fc.constantFrom('a', 'b', 'c/d', 'c/e', '__proto__'), fc.nat(3))
  .map((texts): Files => new Map(Object.entries(texts).map(([path, n]) => [path, { path, mode: 0o644, sha256: String(n), size: n }])));
const step = fc.oneof(
  folder.map((files) => ({ kind: 'change' as const, files })),
  fc.nat(50).map((to) => ({ kind: 'move' as const, to })),
  folder.map((files) => ({ kind: 'stray' as const, files })),
);

const sorted = (files: Files): unknown => [...files].sort(([a], [b]) => (a < b ? -1 : 1));

it('any history of changes, rewinds and strays has at each point the files of then, also in a fork', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const workspace = emptyWorkspace();
      const known = new Map<string | null, Files>([[null, new Map()]]);
      steps.forEach((one, index) => {
        if (one.kind === 'move') {
          const to = [...known.keys()][one.to % known.size] ?? null;
          return moveWorkspace(workspace, { to });
        }
        const bases = [...known.keys()].filter((version) => one.kind === 'change' || version !== workspace.head);
        const base = one.kind === 'change' ? workspace.head : bases[index % Math.max(bases.length, 1)];
        if (base === undefined) return;
        const version = `v${index}`;
        const changed = differences(known.get(base)!, one.files);
        const files = changed.flatMap(({ after }) => (after ? [{ type: 'blob' as const, ...after }] : []));
        const deleted = changed.flatMap(({ path, after }) => (after ? [] : [path]));
        const before = workspace.head;
        changeWorkspace(workspace, { turnId: 't', version, base, cause: 'step', files, deleted, skipped: [] }, index + 1, '');
        known.set(version, one.files);
        expect(workspace.head).toBe(one.kind === 'change' ? version : before);
      });
      const fork = emptyWorkspace();
      inheritWorkspace(fork, workspace, workspace.head, [...known.keys()]);
      for (const [version, files] of known) {
        expect(sorted(filesOf(workspace, version))).toEqual(sorted(files));
        expect(sorted(filesOf(fork, version))).toEqual(sorted(files));
      }
      expect(fork.head).toBe(workspace.head);
    }),
    runs(1_000),
  );
});
