import { describe, expect, it } from '@jest/globals';
import {
  assistant,
  call,
  contextOf,
  conversation,
  image,
  PIXEL,
  result,
  runPass,
  text,
  thinking,
  turn,
  user,
} from '../../../../test/support/normalize/build.js';
import type { Pass } from '../pass.js';
import { ERROR_WITHOUT_TEXT, MEDIA_OVER_LIMIT, MEDIA_UNUSABLE, NAMELESS_TOOL } from '../placeholders.js';
import { capMedia } from './cap-media.js';
import { dropBlankText } from './drop-blank-text.js';
import { dropUnknownBlocks } from './drop-unknown-blocks.js';
import { dropUnsignedThinking } from './drop-unsigned-thinking.js';
import { normalizeToolInputs } from './normalize-tool-inputs.js';
import { pairServerTools } from './pair-server-tools.js';
import { repairToolResults } from './repair-tool-results.js';
import { sanitizeErrorResults } from './sanitize-error-results.js';
import { stripAdvisor } from './strip-advisor.js';
import { stripCaller } from './strip-caller.js';
import { fitBlockShapes } from './fit-block-shapes.js';
import { stripToolReferences } from './strip-tool-references.js';
import { validateMedia } from './validate-media.js';
import { wellFormedText } from './well-formed-text.js';
import { DEFAULT_NORMALIZE_GATES } from '../../gates.js';

const search = (id = 'srvtoolu_1') => ({ type: 'server_tool_use', id, name: 'web_search', input: {} });
const found = (id = 'srvtoolu_1') => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] });
const advice = { type: 'advisor_tool_result', tool_use_id: 'srvtoolu_9', content: { type: 'advisor_result', text: 'x' } };
const citation = { type: 'char_location', cited_text: 'c', document_index: 0, document_title: 't', start_char_index: 0, end_char_index: 1 };
const gone: readonly object[] = [];

type Row = readonly [what: string, pass: Pass, before: readonly object[], after: readonly object[]];

/** What becomes of the blocks of one message. */
const ofUser: readonly Row[] = [
  ['a kind that no user may send', dropUnknownBlocks, [call('x'), thinking('t'), text('stays')], [text('stays')]],
  ['a block without what makes it one', dropUnknownBlocks, [{ type: 'text' }, { type: 'tool_result' }, { type: 'reasoning' }], gone],
  ['a stored cache marker', fitBlockShapes, [{ ...text('a'), cache_control: { type: 'ephemeral' } }], [text('a')]],
  ['half an emoji', wellFormedText, [text('\ud83d!')], [text('\ufffd!')]],
  ['half an emoji inside a result', wellFormedText, [result('x', [text('\ud83d')])], [result('x', [text('\ufffd')])]],
  ['a user text of white space, whatever stands beside it', dropBlankText, [text('a'), text(' \n'), text('')], [text('a')]],
  ['a result of an object', repairToolResults, [result('x', { a: 1 })], [result('x', '{"a":1}')]],
  ['a result without content', repairToolResults, [result('x', null), result('y', []), result('z', [text('')])], [result('x'), result('y'), result('z')]],
  ['a call inside a result', repairToolResults, [result('x', [call('n')])], [result('x', [text(JSON.stringify(call('n')))])]],
  ['a flag that is not a boolean', fitBlockShapes, [{ ...result('x', 'a'), is_error: null }], [result('x', 'a')]],
  ['a picture in a failed result', sanitizeErrorResults, [result('x', [text('no'), image()], true)], [result('x', [text('no')], true), image()]],
  ['a failed result that says nothing', sanitizeErrorResults, [result('x', '', true)], [result('x', ERROR_WITHOUT_TEXT, true)]],
  ['an image without bytes', validateMedia, [image(''), image('bm8gcGljdHVyZQ==')], [text(MEDIA_UNUSABLE), text(MEDIA_UNUSABLE)]],
  ['an image under a wrong label', validateMedia, [image(PIXEL, 'image/heic')], [image(PIXEL, 'image/png')]],
  ['an image of a result', validateMedia, [result('x', [image('')])], [result('x', [text(MEDIA_UNUSABLE)])]],
  [
    'references, without tool search',
    stripToolReferences,
    [result('x', [{ type: 'tool_reference', tool_name: 'Read' }, text('a')])],
    [result('x', [text('a')])],
  ],
];

const ofAssistant: readonly Row[] = [
  ['a result that the assistant cannot send', dropUnknownBlocks, [result('x', 'a'), image(), text('stays')], [text('stays')]],
  ['leftovers of a stream', fitBlockShapes, [{ ...call('x'), index: 1, partial_json: '{' }], [call('x')]],
  ['a marker on thinking, which stays as signed', fitBlockShapes, [{ ...thinking('t'), cache_control: { type: 'ephemeral' } }], [thinking('t')]],
  ['the file of a citation', fitBlockShapes, [{ ...text('a'), citations: [{ ...citation, file_id: 'f' }] }], [{ ...text('a'), citations: [citation] }]],
  ['thinking with half an emoji', wellFormedText, [thinking('\ud83d')], gone],
  [
    'thinking without a signature',
    dropUnsignedThinking,
    [thinking('t', ''), { type: 'thinking', thinking: 't' }, { type: 'redacted_thinking', data: '' }],
    gone,
  ],
  ['an answer of white space', dropBlankText, [text('\n'), call('x')], [call('x')]],
  [
    'input that is text, null or nothing',
    normalizeToolInputs,
    [call('a', '{"p":1}'), call('b', null), call('c', undefined)],
    [call('a', { p: 1 }), call('b', {}), call('c', {})],
  ],
  ['input cut off in the middle', normalizeToolInputs, [call('a', '{"p'), call('b', [1])], [call('a', { raw: '{"p' }), call('b', { raw: [1] })]],
  ['the name of a call', normalizeToolInputs, [call('a', {}, ' Read '), call('b', {}, '')], [call('a', {}, 'Read'), call('b', {}, NAMELESS_TOOL)]],
  ['who made a call', stripCaller, [{ ...call('a'), caller: { type: 'direct' } }], [call('a')]],
  ['what the advisor left', stripAdvisor, [text('a'), { ...search('srvtoolu_9'), name: 'advisor' }, advice], [text('a')]],
  ['a search without its result, and a result without its search', pairServerTools, [search(), text('a'), found('srvtoolu_2')], [text('a')]],
  ["another provider's id", pairServerTools, [search('srv-1'), found('srv-1')], [search('srvtoolu_srv_1'), found('srvtoolu_srv_1')]],
];

const alone: readonly Row[] = [
  ['signed thinking, shown or not', dropUnsignedThinking, [thinking('t'), thinking('', 'sig'), { type: 'redacted_thinking', data: 'd' }, text('a')], []],
  ['white space between thinking, where the answer has words', dropBlankText, [thinking('t'), text('\n\n'), thinking('u'), text('words')], []],
  ['a search and its result', pairServerTools, [search(), found(), text('a')], []],
  ['what is as it should be', fitBlockShapes, [text('a'), call('x', { any: 'key' })], []],
];

describe('repairs of a user message', () => {
  it.each(ofUser)('%s', (_what, pass, before, after) => {
    const ran = runPass(pass, conversation(user(before)));
    expect(ran.messages).toEqual([turn('user', ...after)]);
    expect(ran).toMatchObject({ isSame: false, isIdempotent: true });
    expect(ran.trace.every(([action]) => ['changed', 'dropped', 'moved'].includes(String(action)))).toBe(true);
  });
});

describe('repairs of an answer', () => {
  it.each(ofAssistant)('%s', (_what, pass, before, after) => {
    const ran = runPass(pass, conversation(assistant('m', before)));
    expect(ran.messages).toEqual([turn('assistant', ...after)]);
    expect(ran).toMatchObject({ isSame: false, isIdempotent: true });
  });
});

describe('left alone', () => {
  it.each(alone)('%s', (_what, pass, before) => {
    const ran = runPass(pass, conversation(assistant('m', before)));
    expect(ran).toMatchObject({ isSame: true, trace: [] });
  });
});

it('what moves out of a failed result is in the trace beside it', () => {
  const { trace } = runPass(sanitizeErrorResults, conversation(user([result('x', [text('no'), image()], true)])));
  expect(trace).toEqual([
    ['changed', '0.0', '0.0'],
    ['moved', '0.0', '0.1'],
  ]);
});

it('with tool search, callers and references to offered tools stay', () => {
  const context = contextOf({ model: 'claude-opus-4-5', gates: { ...DEFAULT_NORMALIZE_GATES, 'tool-search': true }, tools: new Set(['Read']) });
  const references = conversation(
    user([
      result('x', [
        { type: 'tool_reference', tool_name: 'Read' },
        { type: 'tool_reference', tool_name: 'Gone' },
      ]),
    ]),
  );
  expect(runPass(stripToolReferences, references, context).messages).toEqual([turn('user', result('x', [{ type: 'tool_reference', tool_name: 'Read' }]))]);
  expect(runPass(stripCaller, conversation(assistant('m', [{ ...call('a'), caller: { type: 'direct' } }])), context).isSame).toBe(true);
});

it('a search that its tool can still answer stays open at the end', () => {
  const open = conversation(user('p'), assistant('m', [search()]));
  expect(runPass(pairServerTools, open, contextOf({ tools: new Set(['web_search']) })).isSame).toBe(true);
  expect(runPass(pairServerTools, open).messages[1]).toEqual(turn('assistant'));
});

it('cap-media lets the oldest go, a quarter of the limit at a time', () => {
  const pictures = (count: number) =>
    runPass(capMedia, conversation(...Array.from({ length: count }, () => user([image()]))), contextOf({ model: 'claude-haiku-4-5' }));
  const left = (count: number): number => pictures(count).messages.filter(({ blocks }) => blocks[0]?.type === 'image').length;
  expect([100, 101, 125, 126].map(left)).toEqual([100, 76, 100, 76]);
  expect(pictures(101).messages[0]).toEqual(turn('user', text(MEDIA_OVER_LIMIT)));
});
