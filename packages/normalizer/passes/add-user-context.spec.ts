import { expect, it } from '@jest/globals';
import { contextOf, conversation, runPass, text, user } from '../../../test/support/normalize/build.js';
import { expectSame } from '../../../test/support/normalize/pass-spec.js';
import { addUserContext } from './add-user-context.js';

it('puts the context of the session before the first message, one section per entry', () => {
  const context = contextOf({ userContext: { project: 'Notes', empty: ' ', today: '2000-01-01' } });
  const [first] = runPass(addUserContext, conversation(user('p')), context).messages;
  expect(first?.blocks).toEqual([
    text(
      '<system-reminder>\nBackground for this conversation. Use it where it helps with what the user asks; do not answer it by itself.\n\n' +
        '# project\nNotes\n\n# today\n2000-01-01\n</system-reminder>\n',
    ),
    text('p'),
  ]);
});

it('adds nothing without context', () => {
  expectSame(addUserContext, [user('p')]);
});
