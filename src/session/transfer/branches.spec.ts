import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exported, history } from '../../../test/support/histories.js';
import { planned } from '../../../test/support/planned-import.js';
import { runs } from '../../../test/support/property-runs.js';
import { decideRestore, decideRestoreBranch } from '../decide/rewind.js';
import { contextEntries } from '../payload/conversation.js';
import { leftBranches } from '../state/branches.js';
import type { SessionState } from '../state/state.js';
import { branch } from '../state/tree.js';
import { filesOf } from '../state/workspace.js';
import { versionAt } from '../state/workspace-points.js';
import { branchesOf } from '../transcript/branches.js';

const conversation = (state: SessionState, head: string | null): readonly unknown[] => branch(state, head, null).map(({ message }) => message);

/** What readers and the model find in a session, on each branch, and where each restore leads. */
const told = (state: SessionState): object => ({
  head: state.head,
  mode: state.settings.permissionMode,
  branches: branchesOf(state),
  messages: [...state.messages.values()].map(({ message, depth }) => ({ message, depth })),
  conversations: [state.head, ...leftBranches(state).keys()].map((tip) => conversation(state, tip)),
  context: contextEntries(state),
  files: filesTold(state),
  rewinds: [...state.rewinds.values()].map(({ data: { at: _, ...data }, at, restoredAt }) => ({ ...data, at, restoredAt })),
  restorePoints: [...state.rewinds.keys()].map((rewindId) => withoutTime(decideRestore({ type: 'Restore', rewindId }, state))),
  tips: [...leftBranches(state).keys()].map((tip) => withoutTime(decideRestoreBranch({ type: 'RestoreBranch', tip }, state))),
});
/** The files at every point: of versions, after and before each message, and now. */
const filesTold = (state: SessionState): object => ({
  current: state.workspace.head,
  versions: [...state.workspace.versions.values()].map(({ version, base, cause, deleted, skipped, removed = null, at }) => ({
    ...{ version, base, cause, deleted, skipped, removed, at },
    files: sorted(filesOf(state.workspace, version)),
  })),
  points: [...state.messages.keys()].map((uuid) => [uuid, versionAt(state, { after: uuid }), versionAt(state, { before: uuid })]),
});
const sorted = (files: ReadonlyMap<string, unknown>): unknown => [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));

const withoutTime = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('an import of an export', () => {
  it('has every branch, rewind and restore point of the session', () => {
    fc.assert(
      fc.property(history, (state) => {
        const { plan, state: copy } = planned(exported(state));
        expect(plan.report).toMatchObject({ skippedTotal: 0, messages: state.messages.size, moves: state.rewinds.size + state.restores.length });
        expect(plan.files?.versions.length ?? 0).toBe(state.workspace.versions.size);
        expect(told(copy)).toEqual(told(state));
        expect(exported(copy)).toBe(exported(state));
      }),
      runs(500),
    );
  });

  it('reports a move that does not fit the messages before it, and makes the rest', () => {
    fc.assert(
      fc.property(history, fc.nat(), (state, pick) => {
        const lines = exported(state).split('\n');
        const lost = 1 + (pick % lines.length);
        const { plan, state: copy } = planned(lines.filter((_, index) => index !== lost).join('\n'));
        const left = lines.filter((_, index) => index !== lost);
        const ofFiles = left.filter((line) => line.includes('"type":"files')).length;
        const { messages, moves, skipped } = plan.report;
        const ofOthers = skipped.filter(({ line }) => !left[line - 1]!.includes('"type":"files'));
        expect(messages + moves + ofFiles + ofOthers.length).toBe(left.length - 1);
        expect(copy.head).toBe(plan.head);
        for (const tip of leftBranches(copy).keys()) expect(decideRestoreBranch({ type: 'RestoreBranch', tip }, copy)).toHaveLength(1);
      }),
      runs(300),
    );
  });
});

describe('the branches of an import', () => {
  it('include those of a file that does not say how they were left', () => {
    const message = (uuid: string, parentUuid: string | null): string => JSON.stringify({ type: 'user', uuid, parentUuid, content: uuid });
    const [a, b, c] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`) as [string, string, string];
    const { state, plan } = planned([message(a, null), message(b, a), message(c, a)].join('\n'));
    expect(branchesOf(state).map(({ tip, isCurrent, left }) => [tip.uuid, isCurrent, left?.cause])).toEqual([
      [b, false, 'import'],
      [c, true, undefined],
    ]);
    expect(plan.report).toMatchObject({ offBranch: [b], offBranchTotal: 1 });
  });
});
