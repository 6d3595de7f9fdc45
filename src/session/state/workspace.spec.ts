import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.js';
import type { WorkspaceFile } from '../../../packages/protocol/events/events.js';
import {
  changeWorkspace,
  differences,
  emptyWorkspace,
  eraseChanges,
  erasedChanges,
  filesOf,
  hasFile,
  inheritWorkspace,
  isPartlyErased,
  moveWorkspace,
  type WorkspaceState,
} from './workspace.js';

type Files = ReadonlyMap<string, WorkspaceFile>;

const PATHS = ['a', 'b', 'c/d', 'c/e', '__proto__'];
const folder = fc
  .dictionary(fc.constantFrom(...PATHS), fc.nat(3))
  .map((texts): Files => new Map(Object.entries(texts).map(([path, n]) => [path, { path, mode: 0o644, sha256: String(n), size: n }])));
const step = fc.oneof(
  folder.map((files) => ({ kind: 'change' as const, files })),
  fc.nat(50).map((to) => ({ kind: 'move' as const, to })),
  folder.map((files) => ({ kind: 'stray' as const, files })),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const sorted = (files: Files): unknown => [...files].sort(([a], [b]) => (a < b ? -1 : 1));

interface History {
  readonly workspace: WorkspaceState;
  /** The files of each version, and of an empty folder. */
  readonly known: ReadonlyMap<string | null, Files>;
}

function historyOf(steps: readonly Step[]): History {
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
  return { workspace, known };
}

it('any history of changes, rewinds and strays has at each point the files of then, also in a fork', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { workspace, known } = historyOf(steps);
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

/** The files of a version of which some changes are erased: what such a change wrote is not there, nor what it had replaced or deleted. */
function filesWithout(versions: WorkspaceState['versions'], erased: ReadonlySet<string>, version: string | null): Files {
  const one = versions.get(version ?? '');
  if (!one) return new Map();
  const files = new Map(filesWithout(versions, erased, one.base));
  for (const path of one.deleted) files.delete(path);
  for (const { path, mode, sha256, size } of one.files) {
    if (!erased.has(one.version)) files.set(path, { path, mode, sha256, size });
    else if (files.get(path)?.sha256 !== sha256) files.delete(path);
  }
  return files;
}

it('erasures of any changes, in any order, take what those wrote from every point, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), fc.array(fc.array(fc.nat(24), { maxLength: 4 }), { maxLength: 4 }), (steps, erasures) => {
      const { workspace, known } = historyOf(steps);
      const written = new Map(workspace.versions);
      const erased = new Set<string>();
      for (const numbers of erasures) {
        const named = [...new Set(numbers.map((n) => `v${n}`))].filter((version) => written.has(version) && !erased.has(version));
        const changes = erasedChanges(workspace, named);
        expect(changes.map(({ version }) => version).toSorted()).toEqual(named.toSorted());
        eraseChanges(workspace, changes);
        for (const version of named) erased.add(version);
        for (const version of known.keys()) {
          expect(sorted(filesOf(workspace, version))).toEqual(sorted(filesWithout(written, erased, version)));
          for (const path of PATHS) expect(hasFile(workspace, version, path)).toBe(filesOf(workspace, version).has(path));
          const isPartly = [...erased].some((one) => isBelow(written, version, one));
          expect(isPartlyErased(workspace, version)).toBe(isPartly);
        }
      }
      for (const version of erased) expect(workspace.versions.get(version)).toMatchObject({ files: [], deleted: [], skipped: [] });
    }),
    runs(1_000),
  );
});

function isBelow(versions: WorkspaceState['versions'], version: string | null, above: string): boolean {
  for (let at = version; at !== null; at = versions.get(at)?.base ?? null) if (at === above) return true;
  return false;
}
