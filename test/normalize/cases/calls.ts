import { RESULT_MISSING } from '../../../packages/protocol/message/wire-texts.js';
import { CONTINUE } from '../../../packages/normalizer/placeholders.js';
import { call, result, text } from '../../support/normalize/build.js';
import { assistant, type Case, cutShort, user } from './case.js';

const REPEATED = 'a result for this call was already given';
const ORPHAN = 'no call waits for this result';

const lost = (id: string): object => result(id, RESULT_MISSING, true);

/** A call and its result: one each, in order, under one id. */
export const CALLS: readonly Case[] = [
  {
    name: 'a conversation in order goes out as it came',
    messages: [user('where is it?'), assistant('Looking.', call('c1', { q: 'it' }, 'search')), user(result('c1', 'there'))],
    sent: [['where is it?'], ['Looking.', call('c1', { q: 'it' }, 'search')], [result('c1', 'there')]],
    told: [],
  },
  {
    name: 'results in a row of their own and the words after them are one turn',
    messages: [user('look'), assistant('Sure.', call('c1')), user(result('c1', 'found')), user('Thank you!')],
    sent: [['look'], ['Sure.', call('c1')], [result('c1', 'found'), 'Thank you!']],
    told: ['3.0 merged merge-users > 2.1'],
  },
  {
    name: 'a result that is JSON text stays that text',
    messages: [user('look'), assistant(call('c1')), user(result('c1', '{"rows": [1, 2]}')), user('and what does it mean?')],
    sent: [['look'], [call('c1')], [result('c1', '{"rows": [1, 2]}'), 'and what does it mean?']],
    told: ['3.0 merged merge-users > 2.1'],
  },
  {
    name: 'a result with an unknown id is no result of the call',
    messages: [user('read it'), assistant(call('right')), user(result('wrong', 'the file'))],
    sent: [['read it'], [call('right')], [lost('right')]],
    told: ['2.0 dropped pair-tool-results', '- added pair-tool-results > 2.0'],
    reasons: [ORPHAN],
  },
  {
    name: 'a call that the user talked past gets a placeholder, in front of the words',
    messages: [user('read it'), assistant(call('c1')), user('never mind that')],
    sent: [['read it'], [call('c1')], [lost('c1'), 'never mind that']],
    told: ['- added pair-tool-results > 2.0'],
  },
  {
    name: 'what an answer said before an unanswered call stays',
    messages: [user('fetch'), assistant('I shall fetch it.', call('c1', {}, 'fetch')), user('go on')],
    sent: [['fetch'], ['I shall fetch it.', call('c1', {}, 'fetch')], [lost('c1'), 'go on']],
    told: ['- added pair-tool-results > 2.0'],
  },
  {
    name: 'a second result for the same call goes, the first stays in front of the words between them',
    messages: [user('read it'), assistant(call('c1')), user(result('c1', 'the first'), 'where we are', result('c1', 'the second'))],
    sent: [['read it'], [call('c1')], [result('c1', 'the first'), 'where we are']],
    told: ['2.2 dropped pair-tool-results'],
    reasons: [REPEATED],
  },
  {
    name: 'a second result that comes after the next answer goes, and is told from a result of no call',
    messages: [
      user('read it'),
      assistant(call('c1')),
      user(result('c1', 'the first')),
      assistant('Done.'),
      user(result('c1', 'the second'), result('other', 'x'), 'so?'),
    ],
    sent: [['read it'], [call('c1')], [result('c1', 'the first')], ['Done.'], ['so?']],
    told: ['4.0 dropped pair-tool-results', '4.1 dropped pair-tool-results'],
    reasons: [REPEATED, ORPHAN],
  },
  {
    name: 'a late result for a call that the next answer did not wait for is no second one',
    messages: [
      user('read it'),
      assistant(call('c1')),
      user('never mind that'),
      assistant('As you like.'),
      user(result('c1', 'late'), result('c1', 'later'), 'so?'),
    ],
    sent: [['read it'], [call('c1')], [lost('c1'), 'never mind that'], ['As you like.'], ['so?']],
    told: ['4.0 dropped pair-tool-results', '4.1 dropped pair-tool-results', '- added pair-tool-results > 2.0'],
    reasons: [ORPHAN, ORPHAN],
  },
  {
    name: 'an id that is used for two calls has a result for each, and the third is a second one',
    messages: [user('twice'), assistant(call('c1')), user(result('c1', 'one')), assistant(call('c1')), user(result('c1', 'two'), result('c1', 'three'))],
    sent: [['twice'], [call('c1')], [result('c1', 'one')], [call('c1_2')], [result('c1_2', 'two')]],
    told: ['3.0 changed pair-tool-results > 3.0', '4.0 changed pair-tool-results > 4.0', '4.1 dropped pair-tool-results'],
    reasons: [REPEATED],
  },
  {
    name: 'of two calls the one without a result gets a placeholder',
    messages: [user('both'), assistant(call('c1'), call('c2', {}, 'Write')), user(result('c1', 'one'))],
    sent: [['both'], [call('c1'), call('c2', {}, 'Write')], [result('c1', 'one'), lost('c2')]],
    told: ['- added pair-tool-results > 2.1'],
  },
  {
    name: 'results stand in the order of their calls, ids of digits are ids',
    messages: [user('all three'), assistant(call('1'), call('2'), call('3')), user(result('3', 'three'), result('1', 'one'))],
    sent: [['all three'], [call('1'), call('2'), call('3')], [result('1', 'one'), lost('2'), result('3', 'three')]],
    told: ['2.1 moved pair-tool-results > 2.0', '- added pair-tool-results > 2.1'],
  },
  {
    name: 'text between a call and its result follows the results',
    messages: [user('both'), assistant(call('c1'), call('c2', {}, 'exec')), user('and quickly'), user(result('c2', 'done'))],
    sent: [['both'], [call('c1'), call('c2', {}, 'exec')], [lost('c1'), result('c2', 'done'), 'and quickly']],
    told: ['3.0 merged merge-users > 2.1', '3.0 moved pair-tool-results > 2.1', '- added pair-tool-results > 2.0'],
  },
  {
    name: 'a single late result moves in front of the words before it',
    messages: [user('read it'), assistant(call('c1')), user('words first'), user(result('c1', 'the file'))],
    sent: [['read it'], [call('c1')], [result('c1', 'the file'), 'words first']],
    told: ['3.0 merged merge-users > 2.0', '3.0 moved pair-tool-results > 2.0'],
  },
  {
    name: 'a result before any call goes, the turns around it stay',
    messages: [user('hello'), user(result('unknown', 'x')), assistant('Hello.'), user('well?')],
    sent: [['hello'], ['Hello.'], ['well?']],
    told: ['1.0 merged merge-users', '1.0 dropped pair-tool-results'],
  },
  {
    name: 'a result after an answer without calls goes, the words after it stay',
    messages: [user('hello'), assistant('No call here.'), user(result('unknown', 'x')), user('well?')],
    sent: [['hello'], ['No call here.'], ['well?']],
    told: ['2.0 dropped pair-tool-results', '3.0 merged merge-users > 2.0'],
  },
  {
    name: 'a call that was cut short keeps its result',
    messages: [user('run'), cutShort('aborted', call('c1', {}, 'exec')), user(result('c1', 'half of it')), user('try again')],
    sent: [['run'], [call('c1', {}, 'exec')], [result('c1', 'half of it'), 'try again']],
    told: ['3.0 merged merge-users > 2.1'],
  },
  {
    name: 'two calls cut short keep both results, the failed one as failed',
    messages: [
      user('run'),
      cutShort('aborted', call('c1', {}, 'exec'), call('c2', {}, 'exec')),
      user(result('c1', 'first')),
      user(result('c2', 'second', true)),
      user('once more'),
    ],
    sent: [['run'], [call('c1', {}, 'exec'), call('c2', {}, 'exec')], [result('c1', 'first'), result('c2', 'second', true), 'once more']],
    told: ['3.0 merged merge-users > 2.1', '4.0 merged merge-users > 2.2'],
  },
  {
    name: 'a call that failed for the client leaves the next pair whole',
    messages: [
      user('run'),
      cutShort('error', call('bad', {}, 'exec')),
      user(result('bad', 'no answer came', true)),
      assistant(call('good', {}, 'exec')),
      user(result('good', 'listing.txt')),
    ],
    sent: [['run'], [call('bad', {}, 'exec')], [result('bad', 'no answer came', true)], [call('good', {}, 'exec')], [result('good', 'listing.txt')]],
    told: [],
  },
  {
    name: 'a call without input is sent with an empty one',
    messages: [user('read'), assistant({ type: 'tool_use', id: 'c1', name: 'Read' }), user('hello?')],
    sent: [['read'], [call('c1')], [lost('c1'), 'hello?']],
    told: ['1.0 changed normalize-tool-inputs > 1.0', '- added pair-tool-results > 2.0'],
  },
  {
    name: 'white space around the name of a tool goes',
    messages: [user('read'), assistant(call('c1', {}, ' Read ')), user(result('c1', 'r'))],
    sent: [['read'], [call('c1')], [result('c1', 'r')]],
    told: ['1.0 changed normalize-tool-inputs > 1.0'],
  },
  {
    name: 'an id of other characters is sent as one the API takes, on both sides',
    messages: [
      user('run'),
      assistant(call('other/uuid:77!@#', {}, 'exec'), call('toolu_fine-1', {}, 'exec')),
      user(result('other/uuid:77!@#', 'ok'), result('toolu_fine-1', 'ok too')),
    ],
    sent: [
      ['run'],
      [call('other_uuid_77___', {}, 'exec'), call('toolu_fine-1', {}, 'exec')],
      [result('other_uuid_77___', 'ok'), result('toolu_fine-1', 'ok too')],
    ],
    told: ['1.0 changed pair-tool-results > 1.0', '2.0 changed pair-tool-results > 2.0'],
  },
  {
    name: 'results whose calls went into a summary go, pairs after it stay',
    messages: [
      { ...user('What was done so far: much.'), isCompactSummary: true },
      user(result('gone', 'left over', true)),
      assistant('Going on.', call('c1')),
      user(result('c1', 'fine')),
      user('good'),
    ],
    sent: [['What was done so far: much.'], ['Going on.', call('c1')], [result('c1', 'fine'), 'good']],
    told: ['1.0 merged merge-users', '1.0 dropped pair-tool-results', '4.0 merged merge-users > 2.1'],
  },
  {
    name: 'over several turns every call has a result, and every word of the user stays',
    messages: [
      user('first'),
      assistant(call('1a'), call('1b')),
      user(result('1a', 'ok')),
      user('second'),
      assistant(call('2a')),
      user(result('2a', 'ok')),
      user('third'),
      user(result('unknown', 'ok')),
      assistant('Done.'),
      user('fourth'),
    ],
    sent: [['first'], [call('1a'), call('1b')], [result('1a', 'ok'), lost('1b'), 'second'], [call('2a')], [result('2a', 'ok'), 'third'], ['Done.'], ['fourth']],
    told: [
      '3.0 merged merge-users > 2.2',
      '6.0 merged merge-users > 4.1',
      '7.0 merged merge-users',
      '7.0 dropped pair-tool-results',
      '- added pair-tool-results > 2.1',
    ],
  },
  {
    name: 'a call that the next answer did not wait for gets its placeholder in between',
    messages: [user('look'), assistant(call('c1')), assistant('On second thought, no.'), user('go on')],
    sent: [['look'], [call('c1')], [lost('c1')], ['On second thought, no.'], ['go on']],
    told: ['- added pair-tool-results > 2.0'],
  },
  {
    name: 'calls in rows of their own are one turn with their results, words between them in front',
    messages: [user('both'), assistant(call('c1')), assistant('And the other.', call('c2')), user(result('c2', 'two')), user(result('c1', 'one'))],
    sent: [['both'], ['And the other.', call('c1'), call('c2')], [result('c1', 'one'), result('c2', 'two')]],
    told: [
      '2.0 merged merge-assistants > 1.0',
      '2.0 moved tool-calls-last > 1.0',
      '2.1 merged merge-assistants > 1.2',
      '4.0 merged merge-users > 2.0',
      '4.0 moved pair-tool-results > 2.0',
    ],
  },
  {
    name: 'a lost result never reads as success',
    messages: [user('send the money'), assistant(call('pay', { amount: 100 }, 'transfer')), user('thanks')],
    sent: [['send the money'], [call('pay', { amount: 100 }, 'transfer')], [result('pay', '[Tool result missing due to internal error]', true), 'thanks']],
    told: ['- added pair-tool-results > 2.0'],
  },
  {
    name: 'a call at the very end gets a turn with its placeholder',
    messages: [user('weather?'), assistant(call('c1', { place: 'Pune' }, 'weather'))],
    sent: [['weather?'], [call('c1', { place: 'Pune' }, 'weather')], [lost('c1')]],
    told: ['- added pair-tool-results > 2.0'],
  },
  {
    name: 'so does one with words in front of it',
    messages: [user('do something'), assistant('OK.', call('c1', {}, 'something'))],
    sent: [['do something'], ['OK.', call('c1', {}, 'something')], [lost('c1')]],
    told: ['- added pair-tool-results > 2.0'],
  },
  {
    name: 'and each of two, running or not',
    messages: [user('both'), assistant(call('waiting', { run: 'ls' }, 'exec'), call('running', { path: '/a' }))],
    sent: [['both'], [call('waiting', { run: 'ls' }, 'exec'), call('running', { path: '/a' })], [lost('waiting'), lost('running')]],
    told: ['- added pair-tool-results > 2.0', '- added pair-tool-results > 2.1'],
  },
  {
    name: 'a new prompt follows the placeholder, in its turn',
    messages: [user('do it'), assistant(call('c1', { x: 1 }, 'mine')), user('I changed my mind')],
    sent: [['do it'], [call('c1', { x: 1 }, 'mine')], [lost('c1'), 'I changed my mind']],
    told: ['- added pair-tool-results > 2.0'],
  },
  {
    name: 'empty words, a lost result and a stray one at once',
    messages: [user('weather'), assistant(call('c1', { place: 'here' }, 'weather')), user(''), assistant('It is fine.'), user(result('unknown', 'data'))],
    sent: [['weather'], [call('c1', { place: 'here' }, 'weather')], [lost('c1')], ['It is fine.'], [CONTINUE]],
    told: ['2.0 dropped none', '4.0 dropped pair-tool-results', '- added pair-tool-results > 2.0', '- added end-with-user > 4.0'],
  },
  {
    name: 'a denied permission is a failed result right after its call',
    messages: [user('clean up'), assistant(call('c1', { run: 'rm -rf x' }, 'exec')), user(result('c1', 'This was not allowed.', true)), user('why not?')],
    sent: [['clean up'], [call('c1', { run: 'rm -rf x' }, 'exec')], [result('c1', 'This was not allowed.', true), 'why not?']],
    told: ['3.0 merged merge-users > 2.1'],
  },
  {
    name: 'what a stream left on a call does not go out',
    messages: [user('run'), assistant({ ...call('c1', {}, 'exec'), partial_json: '{"half": "whole"}', index: 1 }), user(result('c1', 'ok'))],
    sent: [['run'], [call('c1', {}, 'exec')], [result('c1', 'ok')]],
    told: ['1.0 changed fit-block-shapes > 1.0'],
  },
  {
    name: 'an id used twice is told apart, each result with its call',
    messages: [user('twice'), assistant(call('c1')), user(result('c1', 'one')), assistant(call('c1')), user(result('c1', 'two')), user('thanks')],
    sent: [['twice'], [call('c1')], [result('c1', 'one')], [call('c1_2')], [result('c1_2', 'two'), 'thanks']],
    told: ['3.0 changed pair-tool-results > 3.0', '4.0 changed pair-tool-results > 4.0', '5.0 merged merge-users > 4.1'],
  },
  {
    name: 'a result of nothing but blank texts is empty',
    messages: [user('run'), assistant(call('c1', {}, 'exec')), user(result('c1', [text(''), text('  ')]))],
    sent: [['run'], [call('c1', {}, 'exec')], [result('c1')]],
    told: ['2.0 changed repair-tool-results > 2.0'],
  },
];
