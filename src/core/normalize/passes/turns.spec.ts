import { describe, expect, it } from '@jest/globals';
import { assistant, call, contextOf, conversation, type Entry, result, runPass, text, thinking, turn, user } from '../../../../test/support/normalize/build.js';
import { NO_CONTENT, RESULT_MISSING } from '../../message/wire-texts.js';
import type { Pass } from '../pass.js';
import { CONTINUE, CONVERSATION_BEGINS } from '../placeholders.js';
import { addUserContext } from './add-user-context.js';
import { toolCallsLast } from './tool-calls-last.js';
import { dropBlankAssistants } from './drop-blank-assistants.js';
import { dropOrphanedThinking } from './drop-orphaned-thinking.js';
import { dropTrailingThinking } from './drop-trailing-thinking.js';
import { endWithUser } from './end-with-user.js';
import { fillEmptyAssistant } from './fill-empty-assistant.js';
import { mergeAssistants } from './merge-assistants.js';
import { mergeUsers } from './merge-users.js';
import { pairToolResults } from './pair-tool-results.js';
import { separateTexts } from './separate-texts.js';
import { startWithUser } from './start-with-user.js';

const p = user('p');
const q = user('q');
const missing = (id: string) => result(id, RESULT_MISSING, true);
const U = (...blocks: readonly object[]) => turn('user', ...blocks);
const A = (...blocks: readonly object[]) => turn('assistant', ...blocks);
const said = assistant('m', [text('a')]);
const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };

type Row = readonly [what: string, pass: Pass, entries: readonly Entry[], after: readonly object[], trace: readonly unknown[]];

const rows: readonly Row[] = [
  [
    'user turns in a row',
    mergeUsers,
    [p, user(''), q],
    [U(text('p'), text('q'))],
    [
      ['dropped', '1.0', null],
      ['merged', '2.0', '0.1'],
    ],
  ],
  ['answers in a row', mergeAssistants, [p, said, assistant('n', [text('b')])], [U(text('p')), A(text('a'), text('b'))], [['merged', '2.0', '1.1']]],
  [
    'answers in a row, of which the second goes on with calls',
    mergeAssistants,
    [p, assistant('m', [call('x')]), assistant('n', [text('b'), call('y')]), user([result('y', '2'), result('x', '1')])],
    [U(text('p')), A(call('x'), text('b'), call('y')), U(result('y', '2'), result('x', '1'))],
    [
      ['merged', '2.0', '1.1'],
      ['merged', '2.1', '1.2'],
    ],
  ],
  [
    'text and a search after a call',
    toolCallsLast,
    [p, assistant('m', [call('x'), text('a'), call('y'), search])],
    [U(text('p')), A(text('a'), search, call('x'), call('y'))],
    [
      ['moved', '1.1', '1.0'],
      ['moved', '1.3', '1.1'],
    ],
  ],
  [
    'text after a call, on each side of thinking',
    toolCallsLast,
    [p, assistant('m', [call('x'), text('a'), thinking('t'), call('y'), text('b')])],
    [U(text('p')), A(text('a'), call('x'), thinking('t'), text('b'), call('y'))],
    [
      ['moved', '1.1', '1.0'],
      ['moved', '1.4', '1.3'],
    ],
  ],
  ['thinking that led nowhere', dropOrphanedThinking, [p, assistant('m', [thinking('t')]), q], [U(text('p')), U(text('q'))], [['dropped', '1.0', null]]],
  [
    'thinking at the end of the request',
    dropTrailingThinking,
    [p, assistant('m', [text('a'), thinking('t')])],
    [U(text('p')), A(text('a'))],
    [['dropped', '1.1', null]],
  ],
  [
    'an answer without content',
    dropBlankAssistants,
    [p, assistant('m', []), q],
    [U(text('p'), text('q'))],
    [
      ['dropped', '1.0', null],
      ['merged', '2.0', '0.1'],
    ],
  ],
  [
    'results out of order, after text',
    pairToolResults,
    [p, assistant('m', [call('x'), call('y')]), user([text('t'), result('y', '2'), result('x', '1')])],
    [U(text('p')), A(call('x'), call('y')), U(result('x', '1'), result('y', '2'), text('t'))],
    [
      ['moved', '2.1', '2.1'],
      ['moved', '2.2', '2.0'],
    ],
  ],
  [
    'a call without a result',
    pairToolResults,
    [p, assistant('m', [call('x')]), q],
    [U(text('p')), A(call('x')), U(missing('x'), text('q'))],
    [['added', null, '2.0']],
  ],
  [
    'a call without a result at the end',
    pairToolResults,
    [p, assistant('m', [call('x')])],
    [U(text('p')), A(call('x')), U(missing('x'))],
    [['added', null, '2.0']],
  ],
  [
    'a second result',
    pairToolResults,
    [p, assistant('m', [call('x')]), user([result('x', '1'), result('x', '2')])],
    [U(text('p')), A(call('x')), U(result('x', '1'))],
    [['dropped', '2.1', null]],
  ],
  [
    'a result without a call, and the turn it leaves empty',
    pairToolResults,
    [p, said, user([result('x')]), assistant('n', [text('b')])],
    [U(text('p')), A(text('a'), text('b'))],
    [
      ['dropped', '2.0', null],
      ['merged', '3.0', '1.1'],
    ],
  ],
  [
    'an id that is used again',
    pairToolResults,
    [p, assistant('m', [call('x')]), user([result('x', '1')]), assistant('n', [call('x')]), user([result('x', '2')])],
    [U(text('p')), A(call('x')), U(result('x', '1')), A(call('x_2')), U(result('x_2', '2'))],
    [
      ['changed', '3.0', '3.0'],
      ['changed', '4.0', '4.0'],
    ],
  ],
  [
    'an id of another provider',
    pairToolResults,
    [p, assistant('m', [call('f:0|1')]), user([result('f:0|1', '1')])],
    [U(text('p')), A(call('f_0_1')), U(result('f_0_1', '1'))],
    [
      ['changed', '1.0', '1.0'],
      ['changed', '2.0', '2.0'],
    ],
  ],
  ['a greeting', startWithUser, [said, q], [U(text(CONVERSATION_BEGINS)), A(text('a')), U(text('q'))], [['added', null, '0.0']]],
  ['an answer at the end', endWithUser, [p, said], [U(text('p')), A(text('a')), U(text(CONTINUE))], [['added', null, '2.0']]],
  ['texts of two messages', separateTexts, [user([text('2+2'), text('one message')])], [U(text('2+2'), text('one message'))], []],
];

describe('turns', () => {
  it.each(rows)('%s', (_what, pass, entries, after, trace) => {
    expect(runPass(pass, conversation(...entries))).toEqual({ isSame: trace.length === 0, isIdempotent: true, messages: after, trace });
  });

  it.each([
    ['thinking in the middle, at the end of an answer', dropTrailingThinking, [p, assistant('m', [text('a'), thinking('t')]), q]],
    [
      'calls with their results, and what is said beside them',
      pairToolResults,
      [p, assistant('m', [text('a'), call('x')]), user([result('x', '1'), text('t')])],
    ],
    ['an answer after one whose call was lost', mergeAssistants, [p, assistant('m', [call('x')]), said, q]],
    ['calls between thoughts', toolCallsLast, [p, assistant('m', [thinking('t'), text('a'), call('x'), thinking('u'), call('y')])]],
    ['a turn that the API paused', endWithUser, [p, assistant('m', [text('a'), search])]],
  ])('leaves alone %s', (_what, pass, entries) => {
    expect(runPass(pass, conversation(...entries)).isSame).toBe(true);
  });

  it('an answer that only searched keeps its place', () => {
    const emptied = conversation(p, assistant('m', [search]), q);
    const lost: Pass = {
      ...fillEmptyAssistant,
      apply: (messages, context) =>
        fillEmptyAssistant.apply(
          dropBlankAssistants.apply(
            messages.map((message) => (message.kind === 'assistant' ? { ...message, blocks: [] } : message)),
            context,
          ),
          context,
        ),
    };
    expect(runPass(lost, emptied).messages).toEqual([U(text('p')), A(text(NO_CONTENT)), U(text('q'))]);
    expect(runPass(lost, emptied.slice(0, 2)).messages).toEqual([U(text('p'))]);
  });

  it('a model that goes on from an answer gets it without white space or thinking at its end', () => {
    const open = conversation(p, assistant('m', [text('a \n'), thinking('t'), text(' ')]));
    expect(runPass(endWithUser, open, contextOf({ model: 'claude-haiku-4-5' })).messages).toEqual([U(text('p')), A(text('a'))]);
  });

  it('joined texts never run together, and nothing that was sent changes', () => {
    const joined: Pass = { ...separateTexts, apply: (messages, context) => separateTexts.apply(mergeUsers.apply(messages, context), context) };
    const blocks = (...entries: readonly Entry[]) => runPass(joined, conversation(...entries)).messages[0]?.blocks;
    const [two, three, four] = [user('2+2'), user('3+3\n'), user('4+4')];
    expect(blocks(two)).toEqual([text('2+2')]);
    expect(blocks(two, three)).toEqual([text('2+2'), text('\n3+3\n')]);
    expect(blocks(two, three, four)).toEqual([text('2+2'), text('\n3+3\n'), text('4+4')]);
  });

  it('the context of the session is one text in front, a section per entry', () => {
    const context = contextOf({ userContext: { project: 'Notes', empty: ' ', today: '2000-01-01' } });
    const [first] = runPass(addUserContext, conversation(p), context).messages;
    expect(first?.blocks).toEqual([
      text(
        '<system-reminder>\nBackground for this conversation. Use it where it helps with what the user asks; do not answer it by itself.\n\n' +
          '# project\nNotes\n\n# today\n2000-01-01\n</system-reminder>\n',
      ),
      text('p'),
    ]);
  });
});
