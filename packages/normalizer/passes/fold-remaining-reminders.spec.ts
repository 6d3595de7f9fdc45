import { expect, it } from '@jest/globals';
import { assistant, attachment, call, conversation, image, normalized, result, text, user } from '../../../test/support/normalize/build.js';
import { expectSame } from '../../../test/support/normalize/pass-spec.js';
import { DEFAULT_NORMALIZE_GATES } from '../../protocol/gates.js';
import { foldRemainingReminders } from './fold-remaining-reminders.js';

const gates = { ...DEFAULT_NORMALIZE_GATES, 'system-reminder-folding': true };
const context = (hookName: string, content: string) => attachment('hook_additional_context', { hookName, content: [content] });
const reminder = (name: string, said: string): string => `<system-reminder>\n${name} hook additional context: ${said}\n</system-reminder>`;
const [after, before] = [reminder('PostToolUse:Skill', 'after'), reminder('PreToolUse:Skill', 'before')];

/** Two calls; their turn of results contains a reminder before and one after `blocks`. */
const folded = (...blocks: readonly object[]) =>
  normalized(
    conversation(
      user('p'),
      assistant('m', [call('a', {}, 'Skill'), call('b', {}, 'Skill')]),
      context('PreToolUse:Skill', 'before'),
      user(blocks),
      context('PostToolUse:Skill', 'after'),
    ),
    { gates },
  );

it('appends what came before the results to the last result, after what followed it', () => {
  const { messages, trace } = folded(result('a', 'one'), result('b', 'Launching skill'), text('# The skill'));
  expect(messages[2]?.content).toEqual([result('a', 'one'), result('b', `Launching skill\n\n${after}\n\n${before}`), text('# The skill')]);
  expect(trace.filter(({ action }) => action === 'merged').map(({ pass, target }) => [pass, target])).toEqual(
    expect.arrayContaining([
      ['fold-following-reminders', { message: 2, block: 1 }],
      ['fold-remaining-reminders', { message: 2, block: 1 }],
    ]),
  );
});

it('extends blocks by a block, and a placeholder like any result', () => {
  const { messages, trace } = folded(result('a', [image()]));
  expect(messages[2]?.content).toEqual([result('a', [image(), text(after)]), result('b', `[Tool result missing due to internal error]\n\n${before}`, true)]);
  expect(trace.at(-1)).toMatchObject({ action: 'added', pass: 'pair-tool-results', target: { message: 2, block: 1 } });
});

it('keeps reminders of a turn without results', () => {
  expectSame(foldRemainingReminders, [user([text(before), text('q')])]);
});
