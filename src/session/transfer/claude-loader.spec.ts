import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { call, ClaudeFile, nameOf } from '../../../test/support/claude-file.js';
import { activeContext, type LoadedLine } from '../../../test/support/claude-loader.js';
import { type ClaudeSession, claudeSession } from '../../../test/support/claude-sessions.js';
import { planned } from '../../../test/support/planned-import.js';
import { runs } from '../../../test/support/property-runs.js';
import { DEFAULT_NORMALIZE_GATES } from '../../../packages/protocol/gates.js';
import { buildPayload } from '../../../packages/normalizer/build-payload.js';
import { payloadInput } from '../payload/payload-input.js';

const payloadOf = (text: string): unknown =>
  buildPayload(payloadInput(planned(text).state, { gates: DEFAULT_NORMALIZE_GATES, maxTokens: 100, model: 'claude-opus-4-5' }), () => '0'.repeat(64)).payload
    .messages;

/** The active context as a separate file, one line below the other. */
function contextFile({ file, leaf, corrected }: ClaudeSession): string {
  const lines = file.lines.map((line) => JSON.parse(line) as LoadedLine);
  return activeContext(lines, leaf, corrected)
    .map((line, index, all) => JSON.stringify({ ...line, parentUuid: all[index - 1]?.uuid ?? null }))
    .join('\n');
}

describe('the import of a session of Claude Code', () => {
  it('sends what its own loader would send', () => {
    fc.assert(
      fc.property(claudeSession, (session) => {
        expect(payloadOf(session.file.text)).toEqual(payloadOf(contextFile(session)));
      }),
      runs(500),
    );
  });

  it('loses no line: each is on the branch, on another one, or kept beside the conversation', () => {
    fc.assert(
      fc.property(claudeSession, ({ file }) => {
        const { plan, path, beside } = planned(file.text);
        const uuids = (messages: typeof path): readonly string[] =>
          messages.flatMap((message) => [
            message.uuid,
            ...((message as { readonly fragments?: readonly { readonly uuid?: string }[] }).fragments ?? []).flatMap(({ uuid }) => uuid ?? []),
          ]);
        const kept = new Set([...uuids(path), ...uuids(beside)]);
        const retained = new Set(plan.retained.map(({ line }) => line));
        file.lines.forEach((line, index) => {
          const { uuid } = JSON.parse(line) as LoadedLine;
          expect(retained.has(index + 1) || (uuid !== undefined && kept.has(uuid))).toBe(true);
        });
        expect(plan.report.offBranch).toEqual(beside.map(({ uuid }) => uuid).slice(0, 200));
        expect(plan.report.offBranchTotal).toBe(beside.length);
        expect(plan.report.skippedTotal).toBe(0);
      }),
      runs(300),
    );
  });
});

describe('a prompt below a line beside the conversation', () => {
  const beside = (): ClaudeFile =>
    new ClaudeFile().user('u1', null, 'first').line('progress', 'p1', 'u1', {}).piece('a1', 'u1', 'm', { type: 'text', text: 'one' });
  const branch = (file: ClaudeFile): number => planned(file.text).path.length;

  it('follows the newest answer, and the report counts it', () => {
    const file = beside().user('u2', 'p1', 'second');
    expect(branch(file)).toBe(3);
    expect(planned(file.text).plan.report).toMatchObject({ reattached: 1, offBranchTotal: 0 });
  });

  describe('of a subagent, whose first line has no parent,', () => {
    const isSidechain = true;
    const said = { type: 'text', text: 'said' };
    const subagent = (): ClaudeFile =>
      new ClaudeFile()
        .user('u1', null, 'first')
        .piece('a1', 'u1', 'm', said)
        .user('s1', null, 'task', { isSidechain })
        .line('progress', 's2', 's1', { isSidechain });
    const names = (file: ClaudeFile): readonly string[] => planned(file.text).path.map(({ uuid }) => nameOf(uuid));

    it('follows the newest answer, and the report counts it', () => {
      const file = subagent().user('u2', 's2', 'second');
      expect(names(file)).toEqual(['u1', 'a1', 'u2']);
      expect(planned(file.text).plan.report).toMatchObject({ reattached: 1, offBranchTotal: 0, retained: { sidechain: 2 } });
    });

    it('follows the newest answer also when a late result of another branch stands between them', () => {
      const file = new ClaudeFile()
        .user('u1', null, 'first')
        .piece('a1', 'u1', 'm', call('t1'))
        .user('u2', 'u1', 'instead')
        .piece('b1', 'u2', 'n', said)
        .result('r1', 'a1', 't1', 'late')
        .user('s1', null, 'task', { isSidechain })
        .line('progress', 'p1', 's1', {})
        .user('u3', 'p1', 'third');
      expect(names(file)).toEqual(['u1', 'u2', 'b1', 'u3']);
    });

    it('keeps a prompt before it that was interrupted', () => {
      const file = subagent().user('u2', 'a1', 'second').user('i', 'u2', '[Request interrupted by user]').user('u3', 's2', 'third');
      expect(names(file)).toEqual(['u1', 'a1', 'u2', 'i', 'u3']);
    });
  });

  it('stays there when a line says that the conversation was rewound', () => {
    const file = beside()
      .state('last-prompt', { explicit: true, leafUuid: ClaudeFile.uuid('p1') })
      .user('u2', 'p1', 'second');
    expect(branch(file)).toBe(2);
    expect(planned(file.text).plan.report).toMatchObject({ reattached: 0, offBranch: [ClaudeFile.uuid('a1')] });
  });
});
