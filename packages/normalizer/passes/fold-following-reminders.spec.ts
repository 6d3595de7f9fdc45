import { expect, it } from '@jest/globals';
import { assistant, attachment, call, conversation, result, runPass, text, turn, user, view } from '../../../test/support/normalize/build.js';
import { expectSame } from '../../../test/support/normalize/pass-spec.js';
import { DEFAULT_NORMALIZE_GATES } from '../../protocol/gates.js';
import { foldFollowingReminders } from './fold-following-reminders.js';

const reminder = (told: string) => text(`<system-reminder>\n${told}\n</system-reminder>`);
const asked = [user('p'), assistant('m', [call('a'), call('b')])];

it('appends a reminder to the result before it', () => {
  const entries = [...asked, user([reminder('early'), result('a', 'one'), reminder('late'), result('b', 'two')])];
  const after = turn('user', reminder('early'), result('a', `one\n\n<system-reminder>\nlate\n</system-reminder>`), result('b', 'two'));
  const ran = runPass(foldFollowingReminders, conversation(...entries));
  expect(ran.messages.at(-1)).toEqual(after);
  expect(ran).toMatchObject({ isSame: false, isIdempotent: true });
  expect(ran.trace).toContainEqual(['merged', '2.2', '2.1']);
});

it('appends what is about a call to the result of that call, at any place in the turn: what follows the result first', () => {
  const about = (id: string, hook: string) =>
    attachment('hook_additional_context', { hookName: `${hook}:f`, hookEvent: hook, toolUseId: id, content: [`of ${id}`] });
  const entries = [
    ...asked,
    about('a', 'PreToolUse'),
    about('b', 'PreToolUse'),
    user([result('a', 'one')], { isMeta: true }),
    about('a', 'PostToolUse'),
    user([result('b', 'two')], { isMeta: true }),
    about('b', 'PostToolUse'),
  ];
  const { payload } = view(conversation(...entries), { gates: { ...DEFAULT_NORMALIZE_GATES, 'system-reminder-folding': true } });
  const told = (id: string, hook: string) => `<system-reminder>\n${hook}:f hook additional context: of ${id}\n</system-reminder>`;
  const contents = payload.messages.at(-1)!.content.map((block) => (block as { readonly content?: unknown }).content);
  expect(contents).toEqual([
    `one\n\n${told('a', 'PostToolUse')}\n\n${told('a', 'PreToolUse')}`,
    `two\n\n${told('b', 'PostToolUse')}\n\n${told('b', 'PreToolUse')}`,
  ]);
});

it('keeps reminders after a result that answers no call, or that names tools', () => {
  const names = result('a', [{ type: 'tool_reference', tool_name: 'Read' }]);
  expectSame(foldFollowingReminders, [...asked, user([result('z'), reminder('late')])]);
  expectSame(foldFollowingReminders, [...asked, user([names, reminder('late')])]);
});
