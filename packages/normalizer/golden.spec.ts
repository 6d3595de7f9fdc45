import { expect, it } from '@jest/globals';
import { assistant, attachment, call, conversation, result, text, uuidAt, view, user } from '../../test/support/normalize/build.js';

/**
 * One slash command on its way, stored as the turn engine stores it: the header, the body of the skill, the permissions it asks for, an answer with a call,
 * hooks around the call, its result. Nine entries become three messages.
 */
const stored = conversation(
  user('<command-message>release</command-message>\n<command-name>/release</command-name>\n<command-args>patch</command-args>'),
  user('Base directory for this skill: /skills/release\n\n# Release\n\nRaise the version, then tag it.\n\nARGUMENTS: patch', { isMeta: true }),
  attachment('command_permissions', { allowedTools: ['Bash(git tag:*)'] }),
  attachment('date_change', { newDate: '2000-01-02' }),
  assistant('msg_1', [text('Raising the version first.')]),
  assistant('msg_1', [call('toolu_1', { command: 'npm version patch' }, 'Bash')]),
  attachment('hook_additional_context', { hookName: 'PreToolUse:Bash', toolUseId: 'toolu_1', content: ['Tags are signed here.'] }),
  user([result('toolu_1', 'v1.2.4')], { isMeta: true, toolUseResult: { stdout: 'v1.2.4' } }),
  attachment('hook_additional_context', { hookName: 'PostToolUse:Bash', toolUseId: 'toolu_1', content: ['Branch:', 'main, one ahead'] }),
);

const reminder = (told: string): string => `<system-reminder>\n${told}\n</system-reminder>`;

it('a slash command with hooks around its call, as the model gets it', () => {
  const { payload, trace } = view(stored, {
    system: 'You look after a repository.',
    systemContext: { branch: 'main' },
    context: { conventions: 'Sign all tags.' },
    tools: [{ name: 'Bash', input_schema: { type: 'object' } }],
  });
  const marker = { cache_control: { type: 'ephemeral' } };
  expect(payload).toEqual({
    model: 'claude-sonnet-5-5',
    max_tokens: 1_000,
    stream: true,
    system: [{ ...text('You look after a repository.\n\nbranch: main'), ...marker }],
    messages: [
      {
        role: 'user',
        content: [
          text(
            `${reminder('Background for this conversation. Use it where it helps with what the user asks; do not answer it by itself.\n\n# conventions\nSign all tags.')}\n`,
          ),
          text(reminder('The date has changed. Today is 2000-01-02.')),
          text('\n<command-message>release</command-message>\n<command-name>/release</command-name>\n<command-args>patch</command-args>'),
          { ...text('\nBase directory for this skill: /skills/release\n\n# Release\n\nRaise the version, then tag it.\n\nARGUMENTS: patch'), ...marker },
        ],
      },
      { role: 'assistant', content: [text('Raising the version first.'), call('toolu_1', { command: 'npm version patch' }, 'Bash')] },
      {
        role: 'user',
        content: [
          result('toolu_1', 'v1.2.4'),
          text(reminder('PreToolUse:Bash hook additional context: Tags are signed here.')),
          { ...text(`\n${reminder('PostToolUse:Bash hook additional context: Branch:\nmain, one ahead')}`), ...marker },
        ],
      },
    ],
    tools: [{ name: 'Bash', input_schema: { type: 'object' } }],
  });
  expect(
    trace.map(({ source, action, pass, target }) => [
      source ? stored.findIndex(({ uuid }) => uuid === source.uuid) : null,
      action,
      pass,
      target && `${target.message}.${target.block}`,
    ]),
  ).toEqual([
    [0, 'merged', 'merge-users', '0.2'],
    [0, 'changed', 'separate-texts', '0.2'],
    [1, 'merged', 'merge-users', '0.3'],
    [1, 'changed', 'separate-texts', '0.3'],
    [2, 'moved', 'reorder-attachments', null],
    [2, 'dropped', 'attachments-to-user', null],
    [3, 'moved', 'reorder-attachments', '0.1'],
    [3, 'changed', 'attachments-to-user', '0.1'],
    [4, 'kept', 'none', '1.0'],
    [5, 'merged', 'merge-fragments', '1.1'],
    [6, 'changed', 'attachments-to-user', '2.1'],
    [7, 'merged', 'merge-users', '2.0'],
    [7, 'moved', 'pair-tool-results', '2.0'],
    [8, 'changed', 'attachments-to-user', '2.2'],
    [8, 'merged', 'merge-users', '2.2'],
    [8, 'changed', 'separate-texts', '2.2'],
    [null, 'added', 'add-user-context', '0.0'],
  ]);
  expect(trace[0]?.source).toEqual({ uuid: uuidAt(0), index: 0 });
});
