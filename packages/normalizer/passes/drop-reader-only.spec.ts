import { expect, it } from '@jest/globals';
import { assistant, conversation, runPass, system, text, turn, user } from '../../../test/support/normalize/build.js';
import { dropReaderOnly } from './drop-reader-only.js';

it('keeps the conversation and the output of local commands', () => {
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
