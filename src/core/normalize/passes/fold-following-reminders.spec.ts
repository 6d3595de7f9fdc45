import { expect, it } from '@jest/globals';
import { assistant, call, conversation, result, runPass, text, turn, user } from '../../../../test/support/normalize/build.js';
import { expectSame } from '../../../../test/support/normalize/pass-spec.js';
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

it('keeps reminders after a result that answers no call, or that names tools', () => {
  const names = result('a', [{ type: 'tool_reference', tool_name: 'Read' }]);
  expectSame(foldFollowingReminders, [...asked, user([result('z'), reminder('late')])]);
  expectSame(foldFollowingReminders, [...asked, user([names, reminder('late')])]);
});
