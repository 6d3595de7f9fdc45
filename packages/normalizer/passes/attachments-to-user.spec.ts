import { describe, expect, it } from '@jest/globals';
import { attachment, contextOf, conversation, image, runPass, text, turn } from '../../../test/support/normalize/build.js';
import { DEFAULT_NORMALIZE_GATES } from '../../protocol/gates.js';
import { attachmentsToUser } from './attachments-to-user.js';

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

  it('keeps together what a person wrote in several blocks: one reminder, or none where files came with it', () => {
    const intro = 'While you were working, the user wrote:';
    expect(rendered('queued_command', { prompt: [text('stop'), text('and look')] }, true)).toEqual(reminder(`${intro}\nstop\nand look`));
    const withImage = { prompt: [text('look'), image()] };
    for (const folding of [true, false]) expect(rendered('queued_command', withImage, folding)).toEqual([turn('user', text(intro), text('look'), image())]);
  });

  it('sends text of a queued command only where there is one', () => {
    expect(rendered('queued_command', { prompt: [{ type: 'text' }, text('and')] }, true)).toEqual(reminder('While you were working, the user wrote:\n\nand'));
  });

  it.each([['command_permissions'], ['hook_success'], ['hook_additional_context']])('shows the model nothing of an empty or reader-only %s', (type) => {
    const { messages, trace } = runPass(attachmentsToUser, conversation(attachment(type, { allowedTools: ['Bash'] })));
    expect(messages).toEqual([]);
    expect(trace).toEqual([['dropped', '0.0', null]]);
  });
});
