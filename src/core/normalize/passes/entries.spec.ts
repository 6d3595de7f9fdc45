import { describe, expect, it } from '@jest/globals';
import {
  assistant,
  attachment,
  call,
  contextOf,
  conversation,
  type Entry,
  result,
  runPass,
  system,
  text,
  turn,
  user,
} from '../../../../test/support/normalize/build.js';
import { INTERRUPTED } from '../../message/wire-texts.js';
import { attachmentsToUser } from './attachments-to-user.js';
import { dropReaderOnly } from './drop-reader-only.js';
import { dropVirtual } from './drop-virtual.js';
import { localCommandToUser } from './local-command-to-user.js';
import { mergeFragments } from './merge-fragments.js';
import { reorderAttachments } from './reorder-attachments.js';
import { DEFAULT_NORMALIZE_GATES } from '../../gates.js';

const diff = attachment('diff', { content: 'x' });
const kindsOf = (entries: readonly Entry[]) =>
  runPass(reorderAttachments, conversation(...entries)).messages.map(({ kind, blocks }) =>
    kind === 'attachment' ? 'A' : ((blocks[0] as { text?: string })?.text ?? kind),
  );

describe('reorder-attachments', () => {
  it.each([
    ['moves context in front of its prompt', [user('p'), diff], ['A', 'p']],
    ['keeps the order of attachments, and of what they pass', [user('p'), diff, user('q'), diff], ['A', 'A', 'p', 'q']],
    ['stops at an answer', [user('p'), assistant('m', [text('a')]), user('q'), diff], ['p', 'a', 'A', 'q']],
    ['stops at tool results', [user([result('x')]), user('q'), diff], ['user', 'A', 'q']],
    ['stops where a request failed', [user('p'), system('api_error', 'Overloaded'), user('q'), diff], ['p', 'Overloaded', 'A', 'q']],
    ['stops where a turn was interrupted', [user('p'), user([text(INTERRUPTED)]), user('q'), diff], ['p', INTERRUPTED, 'A', 'q']],
  ])('%s', (_what, entries, after) => {
    expect(kindsOf(entries)).toEqual(after);
  });

  it('says what moved, and leaves alone what stands right', () => {
    expect(runPass(reorderAttachments, conversation(user('p'), diff)).trace).toEqual([['moved', '1.0', '0.0']]);
    expect(runPass(reorderAttachments, conversation(diff, user('p'), assistant('m', []), diff)).isSame).toBe(true);
  });
});

it('drop-virtual takes out what only readers see', () => {
  const { messages, trace } = runPass(
    dropVirtual,
    conversation(user('p'), user('note', { isVirtual: true }), assistant('m', [text('shown')], { isVirtual: true })),
  );
  expect(messages).toEqual([turn('user', text('p'))]);
  expect(trace).toEqual([
    ['dropped', '1.0', null],
    ['dropped', '2.0', null],
  ]);
});

it('drop-reader-only leaves the conversation and the output of local commands', () => {
  const entries = conversation(
    system('turn_duration', '3 s'),
    system('local_command', 'ls: a'),
    assistant('m', [text('Overloaded')], { isApiErrorMessage: true }),
    { type: 'tombstone', removed: [] },
    { type: 'tool_use_summary', summary: 'Read 3 files', toolUseIds: [] },
    user('p'),
  );
  const { messages, trace } = runPass(dropReaderOnly, entries);
  expect(messages).toEqual([turn('system', text('ls: a')), turn('user', text('p'))]);
  expect(trace).toEqual([
    ['dropped', '0.0', null],
    ['dropped', '2.0', null],
    ['dropped', '4.0', null],
  ]);
});

it('local-command-to-user makes output user text', () => {
  expect(runPass(localCommandToUser, conversation(system('local_command', 'ls: a'))).messages).toEqual([turn('user', text('ls: a'))]);
});

describe('merge-fragments', () => {
  it('puts the pieces of one answer together, over results and pieces of another', () => {
    const pieces = conversation(
      user('p'),
      assistant('m1', [text('one')]),
      assistant('m2', [text('other')]),
      user([result('x')]),
      assistant('m1', [call('y')]),
      user([result('y')]),
    );
    const { messages, trace } = runPass(mergeFragments, pieces);
    expect(messages.map(({ kind }) => kind)).toEqual(['user', 'assistant', 'assistant', 'user', 'user']);
    expect(messages[1]).toEqual(turn('assistant', text('one'), call('y')));
    expect(trace).toEqual([
      ['merged', '4.0', '1.1'],
      ['moved', '4.0', '1.1'],
    ]);
  });

  it('takes an id that comes back after a prompt for another answer', () => {
    expect(runPass(mergeFragments, conversation(user('p'), assistant('m', [text('a')]), user('q'), assistant('m', [text('b')]))).isSame).toBe(true);
  });
});

describe('attachments-to-user', () => {
  const rendered = (type: string, more: object, folding = false) =>
    runPass(attachmentsToUser, conversation(attachment(type, more)), contextOf({ gates: { ...DEFAULT_NORMALIZE_GATES, 'system-reminder-folding': folding } }))
      .messages;
  const reminder = (told: string) => [turn('user', text(`<system-reminder>\n${told}\n</system-reminder>`))];

  it.each([
    [
      'hook_additional_context',
      { hookName: 'PostToolUse:Bash', content: ['Status:', '## main'] },
      'PostToolUse:Bash hook additional context: Status:\n## main',
    ],
    ['hook_additional_context', { hookName: 'UserPromptSubmit', content: 'one text' }, 'UserPromptSubmit hook additional context: one text'],
    ['hook_success', { hookEvent: 'SessionStart', hookName: 'SessionStart:startup', content: 'ready' }, 'SessionStart:startup hook success: ready'],
    ['date_change', { newDate: '2000-01-02' }, 'The date has changed. Today is 2000-01-02.'],
    ['selected_lines', { filename: 'a.ts', lines: 2, content: 'one\ntwo' }, 'Attached: selected lines\nfilename: a.ts\nlines: 2\ncontent:\none\ntwo'],
  ])('shows %s as a reminder', (type, more, told) => {
    expect(rendered(type, more)).toEqual(reminder(told));
    expect(rendered(type, more, true)).toEqual(reminder(told));
  });

  it('shows what a person wrote as such; inside a reminder only where reminders are folded', () => {
    expect(rendered('queued_command', { prompt: 'stop' })).toEqual([turn('user', text('While you were working, the user wrote:\nstop'))]);
    expect(rendered('queued_command', { prompt: 'stop' }, true)).toEqual(reminder('While you were working, the user wrote:\nstop'));
  });

  it('sends text of a queued command only where there is one', () => {
    expect(rendered('queued_command', { prompt: [{ type: 'text' }, text('and')] }, true)[0]?.blocks).toHaveLength(3);
  });

  it.each([['command_permissions'], ['hook_success'], ['hook_additional_context']])('shows the model nothing of an empty or reader-only %s', (type) => {
    const { messages, trace } = runPass(attachmentsToUser, conversation(attachment(type, { allowedTools: ['Bash'] })));
    expect(messages).toEqual([]);
    expect(trace).toEqual([['dropped', '0.0', null]]);
  });
});
