import { createHash } from 'node:crypto';
import type { UnknownObject } from './client.js';

/** A damaged conversation of a client, built from the kind of damage that is known of it. */
export interface Shape {
  readonly name: string;
  readonly messages: readonly UnknownObject[];
  /** Members of the body beside model, max_tokens and messages. */
  readonly more?: UnknownObject;
  readonly model?: string;
  /** What upstream refuses it with when no rule of the checking stand-in does. */
  readonly refusal?: { readonly message: string; readonly details?: { readonly error_code: string; readonly [member: string]: unknown } };
}

const text = (value: string, more: object = {}): UnknownObject => ({ type: 'text', text: value, ...more });
const user = (...content: readonly (string | UnknownObject)[]): UnknownObject => ({
  role: 'user',
  content: content.length === 1 && typeof content[0] === 'string' ? content[0] : content.map((one) => (typeof one === 'string' ? text(one) : one)),
});
const assistant = (...content: readonly (string | UnknownObject)[]): UnknownObject => ({ ...user(...content), role: 'assistant' });
const call = (id: string, more: object = {}): UnknownObject => ({ type: 'tool_use', id, name: 'Read', input: { path: 'a' }, ...more });
const result = (id: string, content: unknown = 'done', more: object = {}): UnknownObject => ({ type: 'tool_result', tool_use_id: id, content, ...more });
const searched = (id: string): UnknownObject => ({ type: 'server_tool_use', id, name: 'web_search', input: { query: 'q' } });
const thought = (signature: string, more: object = {}): UnknownObject => ({ type: 'thinking', thinking: 'Let me see.', signature, ...more });
const image = (data: string): UnknownObject => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });
const pdf = (data: string): UnknownObject => ({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } });
const MARKER = { cache_control: { type: 'ephemeral' } };

const TOOLS = { tools: [{ name: 'Read', input_schema: { type: 'object' } }] };
const SEARCH = { tools: [...TOOLS.tools, { type: 'web_search_20250305', name: 'web_search' }] };
const THINKS = { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2048, ...TOOLS };
const ADAPTIVE = 'claude-opus-5-5';

/** A picture of 1 x 1 with a header that names this size. */
function pixel(width = 1, height = 1): string {
  const bytes = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.writeUInt32BE(crcOf(bytes.subarray(12, 29)), 29);
  return bytes.toString('base64');
}

function crcOf(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

const start = [user('look at the file'), assistant('I will.')];
const noise = (count: number): string => createHash('sha512').update(String(count)).digest('base64');

const pairs: readonly Shape[] = [
  { name: 'a call, then a prompt', messages: [user('read it'), assistant('Yes.', call('t1')), user('stop, do this')], more: TOOLS },
  { name: 'two calls, one result', messages: [user('read both'), assistant(call('t1'), call('t2')), user(result('t2'), 'and then?')], more: TOOLS },
  { name: 'the conversation ends with a call', messages: [user('read it'), assistant(call('t1'))], more: TOOLS },
  {
    name: 'a call of another platform after some calls',
    messages: [...start, user('go'), assistant(call('toolu_vrtx_1')), user(result('toolu_vrtx_1')), assistant(call('toolu_vrtx_2')), user('next')],
    more: TOOLS,
  },
  {
    name: 'a checkpoint without its result',
    messages: [user('read it'), assistant('Reading.', call('t1')), user('are you there?'), assistant('Yes.'), user('good')],
    more: TOOLS,
  },
  {
    name: 'a compaction cut the result off',
    messages: [user('This is a summary.'), assistant('Read.', call('t9')), user('continue with the plan')],
    more: TOOLS,
  },
  {
    name: 'a compaction cut two results off',
    messages: [user('This is a summary.'), assistant(call('t8'), call('t9')), user('continue'), assistant('I do.'), user('and now?')],
    more: TOOLS,
  },
  { name: 'a summary, then a call', messages: [user('Summary of before.'), user('resume'), assistant(call('t1')), user('what next?')], more: TOOLS },
  {
    name: 'a late result after a hard kill',
    messages: [user('run it'), assistant(call('t1')), user('are you there?'), assistant('I am.'), user(result('t1'), 'now go on')],
    more: TOOLS,
  },
  {
    name: 'the result was evicted',
    messages: [user('one'), assistant(call('t1')), user('two'), assistant(call('t2')), user(result('t2'), 'three')],
    more: TOOLS,
  },
  { name: 'a text between call and result', messages: [user('run'), assistant(call('t1')), user('while you wait'), user(result('t1'))], more: TOOLS },
  {
    name: 'a text before the result',
    messages: [user('run both'), assistant(call('t1'), call('t2')), user('note this', result('t1'), result('t2'))],
    more: TOOLS,
  },
  {
    name: 'foreign ids, and a call that lost its result',
    messages: [user('run'), assistant(call('call_9f'), call('call_9e')), user(result('call_9f')), assistant('One is missing.'), user('so be it')],
    more: TOOLS,
  },
];

const orphans: readonly Shape[] = [
  { name: 'the first message is a result', messages: [user(result('t0'), 'what was it?')], more: TOOLS },
  { name: 'a second block without its call', messages: [user('run'), assistant(call('t1')), user(result('t1'), result('t0'), 'both?')], more: TOOLS },
  { name: 'a resume lost the call', messages: [user('hello'), assistant('Hi.'), user(result('t1'), 'where were we?')], more: TOOLS },
  { name: 'a result after texts', messages: [user('run'), assistant('It ran.'), user('first', 'second', result('t1'))], more: TOOLS },
  { name: 'only results', messages: [user('run'), assistant('Done.'), user(result('t1'), result('t2')), assistant('Well.'), user('fine')], more: TOOLS },
  { name: 'a router drops the call', messages: [user('run'), assistant('Running.'), user(result('t1')), assistant('It ran.'), user('next')], more: TOOLS },
  {
    name: 'an advisor result without its call',
    messages: [user('ask'), assistant({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }, 'So it is.'), user('go on')],
    more: SEARCH,
  },
  {
    name: 'the same after a compaction',
    messages: [user('Summary.'), assistant('I know.', { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_2', content: [] }), user('and?')],
    more: SEARCH,
  },
  { name: 'a search without its result', messages: [user('find it'), assistant('Searching.', searched('srvtoolu_1'), 'Found.'), user('where?')], more: SEARCH },
];

const ids: readonly Shape[] = [
  { name: 'one id twice in an answer', messages: [user('run'), assistant(call('t1'), call('t1')), user(result('t1'), result('t1'), 'ok?')], more: TOOLS },
  {
    name: 'one id in two answers',
    messages: [user('run'), assistant(call('t1')), user(result('t1')), assistant(call('t1')), user(result('t1'), 'again?')],
    more: TOOLS,
  },
  { name: 'an empty id', messages: [user('run'), assistant(call('')), user(result(''), 'ok?')], more: TOOLS },
  { name: 'an id with signs', messages: [user('run'), assistant(call('a:b|c.d')), user(result('a:b|c.d'), 'ok?')], more: TOOLS },
  {
    name: 'ids of another provider',
    messages: [user('run'), assistant(call('functions.read:0')), user(result('functions.read:0')), assistant('ok'), user('more')],
    more: TOOLS,
  },
  {
    name: 'a server call with the id of a client call',
    messages: [
      user('find'),
      assistant({ ...searched('toolu_1') }, { type: 'web_search_tool_result', tool_use_id: 'toolu_1', content: [] }, 'Found.'),
      user('ok?'),
    ],
    more: SEARCH,
  },
  { name: 'a whole command as the name', messages: [user('run'), assistant(call('t1', { name: 'x'.repeat(300) })), user(result('t1'), 'ok?')], more: TOOLS },
  { name: 'no name', messages: [user('run'), assistant(call('t1', { name: '' })), user(result('t1'), 'ok?')], more: TOOLS },
  {
    name: 'a long title as the name',
    messages: [user('run'), assistant(call('t1', { name: 'Read the file '.repeat(20) })), user(result('t1')), assistant('done'), user('good')],
    more: TOOLS,
  },
  { name: 'an input that is a text', messages: [user('run'), assistant(call('t1', { input: '{"path":"a"}' })), user(result('t1'), 'ok?')], more: TOOLS },
  { name: 'an input that is a list', messages: [user('run'), assistant(call('t1', { input: [] })), user(result('t1'), 'ok?')], more: TOOLS },
  { name: 'an input that is null', messages: [user('run'), assistant(call('t1', { input: null })), user(result('t1'), 'ok?')], more: TOOLS },
  { name: 'a member text of a call', messages: [user('run'), assistant(call('t1', { text: 'x' })), user(result('t1'), 'ok?')], more: TOOLS },
  {
    name: 'a member index of calls',
    messages: [user('run'), assistant(call('t1', { index: 0 }), call('t2', { index: 1 })), user(result('t1'), result('t2'), 'ok?')],
    more: TOOLS,
  },
];

const thinking: readonly Shape[] = [
  {
    name: 'a marker on thinking',
    messages: [user('think'), assistant(thought('s', MARKER), 'So.'), user('ok?')],
    more: THINKS,
    refusal: { message: 'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted' },
  },
  ...['edited by a merge', 'interleaved with calls', 'edited by another client'].map((how) => ({
    name: `thinking ${how}`,
    messages: [user('think'), assistant(thought(`s ${how}`), 'So.'), user(`${how}, ok?`)],
    more: THINKS,
    refusal: {
      message:
        'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
    },
  })),
  { name: 'an empty signature', messages: [user('think'), assistant(thought(''), 'So.'), user('ok?')], more: THINKS },
  {
    name: 'thinking of another account',
    messages: [user('think'), assistant(thought('foreign'), 'So.'), user('more'), assistant(thought('foreign too'), 'Well.'), user('ok?')],
    more: THINKS,
    refusal: { message: 'messages.1.content.0: Invalid `signature` in `thinking` block' },
  },
  {
    name: 'thinking that a store wrote again',
    messages: [user('think'), assistant(thought('stored'), 'So.'), user('ok?')],
    more: THINKS,
    refusal: { message: 'messages.1.content.0: Invalid `signature` in `thinking` block' },
  },
  {
    name: 'thinking while it is off',
    messages: [user('think'), assistant(thought('s'), 'So.'), user('ok?')],
    more: { thinking: { type: 'disabled' } },
    refusal: { message: 'messages.1.content.0: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.' },
  },
  { name: 'only empty thinking', messages: [user('think'), assistant({ type: 'thinking', thinking: '', signature: '' }), user('ok?')], more: THINKS },
];

const texts: readonly Shape[] = [
  { name: 'an empty text of the model', messages: [user('hi'), assistant(text(''), 'Yes?'), user('ok?')] },
  {
    name: 'a blank text',
    messages: [user('hi'), assistant('Yes?'), user(text(' \n'), 'ok?')],
    refusal: { message: 'messages: text content blocks must contain non-whitespace text' },
  },
  { name: 'a marker on an empty text', messages: [user('hi'), assistant('Yes?'), user('ok?', text('', MARKER))] },
  { name: 'the history ends with an answer', messages: [user('hi'), assistant('Yes?')], model: ADAPTIVE },
  { name: 'the same after a change of the model', messages: [user('hi'), assistant('Yes?'), user('who?'), assistant('Me.')], model: ADAPTIVE },
  { name: 'half an emoji in a prompt', messages: [user('look \ud83d here')] },
  { name: 'half an emoji in a result', messages: [user('run'), assistant(call('t1')), user(result('t1', 'cut \ud83e'), 'ok?')], more: TOOLS },
];

const files: readonly Shape[] = [
  { name: 'not an image', messages: [user(image(noise(1)), 'what is it?')] },
  { name: '21 images, one of them large', messages: [user(...Array.from({ length: 20 }, () => image(pixel())), image(pixel(2500, 10)), 'which?')] },
  {
    name: 'a PDF with a password',
    messages: [user(pdf(Buffer.from('%PDF-1.4\n%%EOF').toString('base64')), 'read it')],
    refusal: { message: 'messages.0.content.0.pdf.source.base64.data: The PDF specified is password protected.' },
  },
];

const others: readonly Shape[] = [
  {
    name: 'a fifth marker',
    messages: [
      user(text('a', MARKER)),
      assistant('b'),
      user(text('c', MARKER)),
      assistant('d'),
      user(text('e', MARKER)),
      assistant('f'),
      user(text('g', MARKER), text('h', MARKER)),
    ],
  },
  {
    name: 'a reference to a tool that left',
    messages: [
      user('find a tool'),
      assistant(call('t1')),
      user(result('t1', [{ type: 'tool_reference', tool_name: 'LSP' }])),
      assistant('Found.'),
      user('use it'),
    ],
    more: TOOLS,
    model: ADAPTIVE,
  },
  {
    name: 'a lost container',
    messages: [user('run'), assistant(call('t1', { caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' } })), user(result('t1'))],
    more: TOOLS,
    refusal: { message: 'container_id is required when there are pending tool uses generated by code execution with tools.' },
  },
  {
    name: 'a system message first',
    messages: [{ role: 'system', content: 'Be brief.' }, user('hello')],
    refusal: { message: "messages.0: use the top-level 'system' parameter for the initial system prompt" },
  },
];

export const REFUSED_SHAPES: readonly Shape[] = [...pairs, ...orphans, ...ids, ...thinking, ...texts, ...files, ...others];

/** What people wrote in it, without half characters. */
export function userTexts({ messages }: Pick<Shape, 'messages'>): readonly string[] {
  return messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) =>
      typeof content === 'string'
        ? [content]
        : (content as readonly UnknownObject[]).flatMap((block) => (block['type'] === 'text' ? [String(block['text'])] : [])),
    )
    .map((one) => one.replace(/[\ud800-\udfff]/g, '\ufffd').trim())
    .filter((one) => one !== '');
}
