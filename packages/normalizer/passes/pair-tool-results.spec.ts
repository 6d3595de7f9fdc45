import { describe, expect, it } from '@jest/globals';
import { assistant, call, conversation, type Entry, image, result, runPass, text, turn, user } from '../../../test/support/normalize/build.js';
import { expectSame, expectTurns } from '../../../test/support/normalize/pass-spec.js';
import { RESULT_MISSING } from '../../protocol/message/wire-texts.js';
import { pairToolResults } from './pair-tool-results.js';

const p = user('p');
const U = (...blocks: readonly object[]) => turn('user', ...blocks);
const A = (...blocks: readonly object[]) => turn('assistant', ...blocks);
const missing = (id: string) => result(id, RESULT_MISSING, true);

describe('pair-tool-results', () => {
  it.each<[string, Entry[], object[], unknown[]]>([
    [
      'orders results by their calls, before text',
      [p, assistant('m', [call('x'), call('y')]), user([text('t'), result('y', '2'), result('x', '1')])],
      [U(text('p')), A(call('x'), call('y')), U(result('x', '1'), result('y', '2'), text('t'))],
      [
        ['moved', '2.1', '2.1'],
        ['moved', '2.2', '2.0'],
      ],
    ],
    ['adds a missing result', [p, assistant('m', [call('x')]), user('q')], [U(text('p')), A(call('x')), U(missing('x'), text('q'))], [['added', null, '2.0']]],
    ['adds a missing result at the end', [p, assistant('m', [call('x')])], [U(text('p')), A(call('x')), U(missing('x'))], [['added', null, '2.0']]],
    [
      'drops a second result',
      [p, assistant('m', [call('x')]), user([result('x', '1'), result('x', '2')])],
      [U(text('p')), A(call('x')), U(result('x', '1'))],
      [['dropped', '2.1', null]],
    ],
    [
      'drops a result without a call, and the turn that is then empty',
      [p, assistant('m', [text('a')]), user([result('x')]), assistant('n', [text('b')])],
      [U(text('p')), A(text('a'), text('b'))],
      [
        ['dropped', '2.0', null],
        ['merged', '3.0', '1.1'],
      ],
    ],
    [
      'renames an id that is reused',
      [p, assistant('m', [call('x')]), user([result('x', '1')]), assistant('n', [call('x')]), user([result('x', '2')])],
      [U(text('p')), A(call('x')), U(result('x', '1')), A(call('x_2')), U(result('x_2', '2'))],
      [
        ['changed', '3.0', '3.0'],
        ['changed', '4.0', '4.0'],
      ],
    ],
    [
      'renames an id of another provider',
      [p, assistant('m', [call('f:0|1')]), user([result('f:0|1', '1')])],
      [U(text('p')), A(call('f_0_1')), U(result('f_0_1', '1'))],
      [
        ['changed', '1.0', '1.0'],
        ['changed', '2.0', '2.0'],
      ],
    ],
  ])('%s', (_what, entries, after, trace) => {
    expectTurns(pairToolResults, entries, after, trace);
  });

  it('keeps calls with their results, and text next to them', () => {
    expectSame(pairToolResults, [p, assistant('m', [text('a'), call('x')]), user([result('x', '1'), text('t')])]);
  });
});

describe('results of toolset calls', () => {
  const browse = { type: 'tool_use', id: 'a', name: 'browse', input: {}, toolset_name: 'browser' };
  const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'd' } };
  const seen = { type: 'text', text: 'seen' };
  const answer = (content: unknown, more = {}): object => ({ type: 'tool_result', tool_use_id: 'a', content, ...more });

  it('are followed by what they cannot contain', () => {
    const ran = runPass(pairToolResults, conversation(assistant('m', [browse]), user([answer([seen, document, image()])])));
    expect(ran.messages[1]?.blocks).toEqual([answer([seen, image()], { toolset_name: 'browser' }), document]);
    expect(ran.isIdempotent).toBe(true);
  });

  it('differ from results of other calls, which keep their documents', () => {
    const { toolset_name: _, ...other } = browse;
    expect(runPass(pairToolResults, conversation(assistant('m', [other]), user([answer([seen, document])]))).isSame).toBe(true);
  });
});

describe('results with tool references', () => {
  const found = { type: 'tool_reference', tool_name: 'Read' };

  it('contain nothing else; texts and media follow', () => {
    const mixed = result('a', [text('found:'), found, image(), text('that is all')]);
    const ran = runPass(pairToolResults, conversation(assistant('m', [call('a')]), user([mixed])));
    expect(ran.messages[1]?.blocks).toEqual([result('a', [found]), text('found:'), image(), text('that is all')]);
    expect(ran.isIdempotent).toBe(true);
  });

  it('stay when they contain nothing else', () => {
    expect(runPass(pairToolResults, conversation(assistant('m', [call('a')]), user([result('a', [found, found])]))).isSame).toBe(true);
  });
});
