import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compose } from '../../src/engine/model/offline/compose.js';
import { readDirectives, withoutRejects } from '../../src/engine/model/offline/directives.js';
import { OfflineModel } from '../../src/engine/model/offline/offline-model.js';
import { type ModelDelta } from '../../src/ports/index.js';
import { ModelError } from '../../packages/normalizer/models/model-answer.js';

type Content = string | readonly object[];
type Turn = { readonly role: 'user' | 'assistant'; readonly content: Content };

const TOOLS = [{ name: 'weather', input_schema: { type: 'object' } }];
const user = (content: Content): Turn => ({ role: 'user', content });
const assistant = (content: Content): Turn => ({ role: 'assistant', content });
const text = (value: string) => ({ type: 'text', text: value });

const bodyOf = (messages: readonly Turn[] | string, more: object = {}): string =>
  JSON.stringify({
    model: 'claude-sonnet-5-5',
    max_tokens: 1_000,
    stream: true,
    tools: TOOLS,
    messages: typeof messages === 'string' ? [user([text(messages)])] : messages,
    ...more,
  });

async function ask(body: string, options: { ordinal?: number; signal?: AbortSignal; onDelta?: (delta: ModelDelta) => void; requestId?: string } = {}) {
  return new OfflineModel().answer(
    { tenantId: 't', body: Buffer.from(body), model: 'claude-test', ordinal: options.ordinal ?? 1, requestId: options.requestId ?? 'r-1', betas: [] },
    options.onDelta ?? (() => {}),
    options.signal ?? new AbortController().signal,
  );
}

async function failure(promise: Promise<unknown>): Promise<ModelError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

describe('directives', () => {
  it.each([
    ['plain text is quoted', 'How are you?', 'end_turn', [text('You wrote: “How are you?”.')]],
    ['say', 'Now {{say Hello, {you}!}}', 'end_turn', [text('Hello, {you}!')]],
    ['say twice', '{{say a}} {{say b}}', 'end_turn', [text('a\nb')]],
    ['think, then reply', 'Well {{think hm}}', 'end_turn', [{ type: 'thinking', thinking: 'hm' }, text('You wrote: “Well {{think hm}}”.')]],
    ['think and say', '{{say b}}{{think a a}}', 'end_turn', [{ type: 'thinking', thinking: 'a a' }, text('b')]],
    ['a call', '{{tool weather {"city":"Köln"}}}', 'tool_use', [{ type: 'tool_use', name: 'weather', input: { city: 'Köln' } }]],
    ['a call without input', '{{tool weather}}', 'tool_use', [{ type: 'tool_use', name: 'weather', input: {} }]],
    ['braces and quotes in the input', '{{tool f {"a":{"b":"}}\\"}}"}}}} tail', 'tool_use', [{ type: 'tool_use', name: 'f', input: { a: { b: '}}"}}' } } }]],
    [
      'parallel calls after a text',
      '{{tool f {"n":1}}}{{tool f {"n":2}}}{{say looking}}',
      'tool_use',
      [text('looking'), { type: 'tool_use', input: { n: 1 } }, { type: 'tool_use', input: { n: 2 } }],
    ],
    ['long', '{{long 3}}', 'end_turn', [text('the quick brown ')]],
    ['a directive without an end is text', 'a {{say b', 'end_turn', [text('You wrote: “a {{say b”.')]],
    ['an unknown directive is text', '{{sing la}}', 'end_turn', [text('You wrote: “{{sing la}}”.')]],
    [
      'input that is no JSON',
      '{{tool f {a}}}',
      'end_turn',
      [{ type: 'text', text: expect.stringContaining('is invalid: expected a tool name, optionally followed by a JSON object') }],
    ],
    ['a number that is none', '{{long many}}', 'end_turn', [{ type: 'text', text: expect.stringContaining('expected a number of words') }]],
  ])('%s', async (_name, prompt, stopReason, content) => {
    const { message } = await ask(bodyOf(prompt));
    expect(message.stop_reason).toBe(stopReason);
    expect(message.content).toHaveLength(content.length);
    expect(message.content).toMatchObject(content);
  });

  it('stops a long response at the token limit', async () => {
    const { message, usage } = await ask(bodyOf('{{long 5000}}', { max_tokens: 700 }));
    expect(message.stop_reason).toBe('max_tokens');
    expect(JSON.stringify(message.content).match(/\b\w+\b/g)?.length).toBeGreaterThan(700);
    expect(usage.output_tokens).toBeGreaterThan(500);
  });

  it('quotes a long prompt truncated, without splitting a surrogate pair', async () => {
    const { message } = await ask(bodyOf('x' + '😀'.repeat(5_000)));
    const reply = (message.content[0] as { text: string }).text;
    expect(reply.length).toBeLessThan(300);
    expect(reply.isWellFormed()).toBe(true);
  });

  it('fail: fails the first request of a turn', async () => {
    expect(await failure(ask(bodyOf('{{fail 503}}')))).toMatchObject({ status: 503, code: 'api_error', retryable: true });
    expect(await failure(ask(bodyOf('{{fail 429}}')))).toMatchObject({ status: 429, code: 'rate_limit_error', retryable: true, retryAfterMs: 1_000 });
    expect(await failure(ask(bodyOf('{{fail 400}}')))).toMatchObject({ status: 400, code: 'invalid_request_error', retryable: false });
    expect((await ask(bodyOf('{{fail 503}}{{say fine}}'), { ordinal: 2 })).message.content).toEqual([text('fine')]);
  });

  it('reject: fails while the payload contains the text outside the directive, and names the block', async () => {
    const history = [user([text('one')]), assistant([text('a SECRET b')])];
    const prompt = user([text('{{reject SECRET}} go on')]);
    expect(await failure(ask(bodyOf([...history, prompt])))).toMatchObject({
      status: 400,
      code: 'invalid_request_error',
      retryable: false,
      message: expect.stringMatching(/^messages\.1\.content\.0: /),
    });
    expect((await ask(bodyOf([user([text('one')]), assistant([text('a b')]), prompt]))).message.stop_reason).toBe('end_turn');
    expect(await failure(ask(bodyOf('{{reject weather}}')))).toMatchObject({ message: expect.stringMatching(/^tools: /) });
  });

  it('refuses what the version of the API that is sent refuses', async () => {
    const body = bodyOf('x', { model: 'claude-opus-4-5', temperature: 0.5 });
    expect(await failure(ask(body))).toMatchObject({ status: 400, message: 'temperature: Extra inputs are not permitted' });
    expect(compose(body, 1, '', null, { apiVersion: '2023-06-01' }).kind).toBe('answer');
  });

  it('reject: finds the text in a tool result', async () => {
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [text('it is BAD')] };
    const messages = [user([text('{{reject BAD}}')]), assistant([{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }]), user([result])];
    expect(await failure(ask(bodyOf(messages)))).toMatchObject({ message: expect.stringMatching(/^messages\.2\.content\.0: /) });
  });
});

describe('the prompt', () => {
  it('excludes texts added by the system', async () => {
    const content = [
      text('<system-reminder>\n{{say no}}\n</system-reminder>'),
      text('Hello<system-reminder>{{fail 500}}</system-reminder>'),
      text('[Request interrupted by user]'),
    ];
    expect((await ask(bodyOf([user(content)]))).message.content).toEqual([text('You wrote: “Hello”.')]);
  });

  it('is the last one', async () => {
    const messages = [user([text('{{say first}}')]), assistant([text('first')]), user([text('second')])];
    expect((await ask(bodyOf(messages))).message.content).toEqual([text('You wrote: “second”.')]);
  });

  it('may be in one message with results of cancelled calls', async () => {
    const cancelled = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'cancelled', is_error: true };
    const messages = [
      user([text('{{tool weather}}')]),
      assistant([{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }]),
      user([cancelled, text('{{say next}}')]),
    ];
    expect((await ask(bodyOf(messages))).message.content).toEqual([text('next')]);
  });

  it('counts attachments', async () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
    expect((await ask(bodyOf([user([image, text('look')])]))).message.content).toEqual([text('You wrote: “look”. I see 1 attachment.')]);
  });
});

describe('a tool loop', () => {
  it('calls tools and then lists the results', async () => {
    const prompt = user([text('{{think hm}}{{tool weather {"city":"Bonn"}}}{{tool clock}}')]);
    const first = (await ask(bodyOf([prompt]))).message;
    const calls = first.content.filter((block) => block.type === 'tool_use');
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    const results = [
      { type: 'tool_result', tool_use_id: calls[0]?.id, content: [text('sunny'), text('<system-reminder>be brief</system-reminder>')] },
      { type: 'tool_result', tool_use_id: calls[1]?.id, content: 'no such tool', is_error: true },
    ];
    const { message } = await ask(bodyOf([prompt, assistant(first.content), user([...results, text('<system-reminder>x</system-reminder>')])]), { ordinal: 2 });
    expect(message.stop_reason).toBe('end_turn');
    expect(message.content).toEqual([text('weather returned: “sunny”\nclock failed: “no such tool”')]);
  });
});

describe('request validation', () => {
  it('rejects invalid requests with the error of the API, not retryable', async () => {
    const orphan = [user([text('a')]), assistant([{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }]), user([text('b')])];
    expect(await failure(ask(bodyOf(orphan)))).toMatchObject({
      status: 400,
      code: 'invalid_request_error',
      retryable: false,
      message: expect.stringContaining('`tool_use` ids were found without `tool_result`'),
    });
    expect(await failure(ask(bodyOf('x', { isMeta: true })))).toMatchObject({ message: 'isMeta: Extra inputs are not permitted' });
    expect(await failure(ask('{"a":'))).toMatchObject({ status: 400, message: expect.stringContaining('The request body is not valid JSON') });
    for (const body of ['null', '[]', '{}', '{"messages":7}', '{"messages":[null,{"content":[null,{"type":"image"}]}]}'])
      expect(await failure(ask(body))).toMatchObject({ status: 400 });
  });

  it('accepts its own thinking and rejects modified thinking', async () => {
    const prompt = user([text('{{think deep}}{{say a}}')]);
    const { message } = await ask(bodyOf([prompt]));
    const replay = (content: Content, more: object = {}) => bodyOf([prompt, assistant(content), user([text('go on')])], more);
    expect((await ask(replay(message.content))).message.stop_reason).toBe('end_turn');
    const altered = message.content.map((block) => (block.type === 'thinking' ? { ...block, thinking: 'shallow' } : block));
    expect(await failure(ask(replay(altered)))).toMatchObject({ message: expect.stringContaining('Invalid `signature` in `thinking` block') });
    expect((await ask(replay([{ type: 'thinking', thinking: 'by another', signature: 'Zm9yZWlnbg==' }, text('a')]))).message.stop_reason).toBe('end_turn');
  });

  it('rejects its thinking after a changed prefix, on models with preserved thinking', async () => {
    const prompt = user([text('{{think one}}{{think two}}{{say a}}')]);
    const { content } = (await ask(bodyOf([prompt]))).message;
    const answer = assistant(content);
    const next = user([text('{{think three}}{{say b}}')]);
    const whole = [prompt, answer, next, assistant((await ask(bodyOf([prompt, answer, next]))).message.content), user([text('go on')])];
    const marked = [user([{ ...text('{{think one}}{{think two}}{{say a}}'), cache_control: { type: 'ephemeral' } }]), ...whole.slice(1)];
    for (const messages of [whole, marked]) expect((await ask(bodyOf(messages))).message.stop_reason).toBe('end_turn');
    const elsewhere: readonly (readonly [number, readonly Turn[], object?])[] = [
      [1, whole, { system: 'Be brief.' }],
      [1, whole, { tools: [] }],
      [1, whole.with(0, user([text('edited')]))],
      [1, whole.with(1, assistant(content.slice(1)))],
      [3, whole.with(1, assistant(content.slice(2)))],
      [3, whole.with(2, user([text('edited')]))],
    ];
    for (const [at, messages, more] of elsewhere) {
      expect(await failure(ask(bodyOf(messages, more)))).toMatchObject({
        message: expect.stringMatching(`^messages\\.${at}\\.content\\.0: .*bound to a different conversation`),
      });
      expect((await ask(bodyOf(messages, { ...more, model: 'claude-opus-4-6' }))).message.stop_reason).toBe('end_turn');
    }
  });
});

describe('the response', () => {
  it('is deterministic, with ids unique per request', async () => {
    const body = bodyOf('{{tool weather}}');
    expect(await ask(body)).toEqual(await ask(body));
    const [first, second] = [await ask(body), await ask(body, { requestId: 'r-2' })];
    expect(first.message.id).not.toBe(second.message.id);
    expect(first.message.content[0]).not.toEqual(second.message.content[0]);
  });

  it('streams one word per delta', async () => {
    const words: unknown[] = [];
    await ask(bodyOf('{{say one two three}}'), { onDelta: ({ delta }) => delta && words.push((delta as { text: string }).text) });
    expect(words).toEqual(['one ', 'two ', 'three']);
  });

  it('waits between deltas and can be aborted there', async () => {
    const controller = new AbortController();
    const error = await failure(
      ask(bodyOf('{{slow 60000}}{{say one two}}'), { signal: controller.signal, onDelta: ({ delta }) => delta && setImmediate(() => controller.abort()) }),
    );
    expect(error).toMatchObject({ code: 'aborted', retryable: false, partial: { stop_reason: null, content: [text('one ')] } });
  });

  it('yields to the event loop and can be aborted there', async () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    const error = await failure(ask(bodyOf('{{long 50000}}', { max_tokens: 60_000 }), { signal: controller.signal }));
    expect(error.code).toBe('aborted');
  });

  it('is empty when aborted before the start', async () => {
    expect(await failure(ask(bodyOf('hi'), { signal: AbortSignal.abort() }))).toMatchObject({ code: 'aborted', partial: null });
  });
});

describe('directives in arbitrary text', () => {
  const scraps = fc.array(
    fc.oneof(
      fc.string(),
      fc.constantFrom('{{', '}}', '{{say ', '{{tool f {', '"', '\\', '{{reject a}}', '{{long 1', '<system-reminder>', '</system-reminder>'),
    ),
    { maxLength: 12 },
  );

  it('never cause an exception', () => {
    fc.assert(
      fc.property(scraps, (parts) => {
        const prompt = `x${parts.join('').toWellFormed()}`;
        expect(() => compose(bodyOf(prompt), 1)).not.toThrow();
        expect(readDirectives(prompt)).toEqual(readDirectives(prompt));
        expect(withoutRejects(withoutRejects(prompt)).length).toBeLessThanOrEqual(prompt.length);
      }),
    );
  });

  it('are parsed in linear time', () => {
    const hostile = '{{tool f {'.repeat(200_000);
    expect(readDirectives(hostile).calls).toEqual([]);
    expect(readDirectives('{{say '.repeat(300_000)).texts).toEqual([]);
  });
});
