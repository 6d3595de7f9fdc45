import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Draft, withDelta } from '../../clients/typescript/src/draft.js';
import { OpenBlocks } from '../../packages/protocol/message/open-blocks.js';
import { AnswerStream, StreamFault, type StreamEvent } from '../../src/engine/model/stream.js';
import type { ModelDelta } from '../../src/ports/index.js';

interface Block {
  readonly [key: string]: unknown;
}

/** Splits a text at arbitrary positions, with empty pieces. */
const piecesOf = (text: string): fc.Arbitrary<readonly string[]> =>
  fc.array(fc.nat({ max: text.length }), { maxLength: 6 }).map((cuts) => {
    const bounds = [0, ...[...cuts].sort((a, b) => a - b), text.length];
    return bounds.slice(1).map((to, index) => text.slice(bounds[index], to));
  });

const text = fc.string({ unit: 'grapheme', maxLength: 60 });
const jsonObject = fc
  .dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
  .map((value) => JSON.parse(JSON.stringify(value)) as object);
const citation = fc.record({ type: fc.constant('char_location'), cited_text: text, document_index: fc.nat(9) });

/** A content block and events that produce it (docs: Streaming messages). */
const streamedBlock: fc.Arbitrary<{ readonly block: Block; readonly start: Block; readonly deltas: readonly Block[] }> = fc.oneof(
  fc.tuple(text, fc.array(citation, { maxLength: 3 })).chain(([value, citations]) =>
    piecesOf(value).map((pieces) => ({
      block: { type: 'text', text: value, ...(citations.length > 0 ? { citations } : {}) },
      start: { type: 'text', text: '', ...(citations.length > 0 ? { citations: [] } : {}) },
      deltas: [...citations.map((entry) => ({ type: 'citations_delta', citation: entry })), ...pieces.map((piece) => ({ type: 'text_delta', text: piece }))],
    })),
  ),
  fc.tuple(text, fc.string({ minLength: 1 })).chain(([thinking, signature]) =>
    piecesOf(thinking).map((pieces) => ({
      block: { type: 'thinking', thinking, signature },
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [...pieces.map((piece) => ({ type: 'thinking_delta', thinking: piece })), { type: 'signature_delta', signature }],
    })),
  ),
  fc.tuple(fc.uuid(), jsonObject, fc.constantFrom('tool_use', 'server_tool_use')).chain(([id, input, type]) =>
    piecesOf(JSON.stringify(input)).map((pieces) => ({
      block: { type, id: `toolu_${id}`, name: 'f', input },
      start: { type, id: `toolu_${id}`, name: 'f', input: {} },
      deltas: ['', ...pieces].map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    })),
  ),
  fc.string().map((data) => ({ block: { type: 'redacted_thinking', data }, start: { type: 'redacted_thinking', data }, deltas: [] })),
  jsonObject.map((content) => {
    const block = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content };
    return { block, start: block, deltas: [] };
  }),
);

const START = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 1, cache_read_input_tokens: 4 },
};

/** Events that a client must ignore. */
const noise: fc.Arbitrary<readonly StreamEvent[]> = fc.subarray([{ type: 'ping' }, { type: 'some_event_of_next_year', index: 99 }]);

const streamed = fc.array(streamedBlock, { maxLength: 5 }).chain((blocks) =>
  fc.tuple(fc.constant(blocks), fc.array(noise, { minLength: 40, maxLength: 40 })).map(([all, between]) => {
    const events: StreamEvent[] = [
      { type: 'message_start', message: START },
      ...all.flatMap(({ start, deltas }, index): StreamEvent[] => [
        { type: 'content_block_start', index, content_block: start },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      {
        type: 'message_delta',
        delta: { stop_reason: 'refusal', stop_details: { type: 'refusal', category: null } },
        usage: { output_tokens: 7, input_tokens: null },
      },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_details: null }, usage: { output_tokens: 12 } },
      { type: 'message_stop' },
    ];
    return {
      events: events.flatMap((event, index) => (index === 0 ? [event] : [...(between[index % between.length] ?? []), event])),
      message: {
        ...START,
        content: all.map(({ block }) => block),
        stop_reason: 'end_turn',
        stop_details: null,
        usage: { input_tokens: 9, output_tokens: 12, cache_read_input_tokens: 4 },
      },
    };
  }),
);

function accumulate(events: readonly StreamEvent[]): { readonly stream: AnswerStream; readonly deltas: readonly ModelDelta[] } {
  const deltas: ModelDelta[] = [];
  const stream = new AnswerStream((delta) => deltas.push(delta));
  for (const event of events) stream.take(event);
  return { stream, deltas };
}

/** A draft shows texts and thoughts; signatures, citations and arguments are in the stored message. */
const withoutOthers = (key: string, value: unknown): unknown => (key === 'signature' || key === 'citations' ? undefined : value);

describe('a streamed response', () => {
  it('gives the same message for any split into events', () => {
    fc.assert(
      fc.property(streamed, ({ events, message }) => {
        const { stream } = accumulate(events);
        expect(stream.complete).toBe(true);
        expect(stream.answer()).toEqual({ message, usage: message.usage });
      }),
    );
  });

  it('forwards deltas that build the same texts', () => {
    fc.assert(
      fc.property(streamed, ({ events, message }) => {
        const built: { [key: string]: string }[] = [];
        for (const { index, start, delta } of accumulate(events).deltas) {
          if (start) built[index] = { text: '' };
          const piece = delta as { text?: string } | undefined;
          const block = built[index];
          if (block && piece?.text !== undefined) block['text'] += piece.text;
        }
        expect(built.map((block) => block['text'])).toEqual(message.content.map((block) => (block['type'] === 'text' ? block['text'] : '')));
      }),
    );
  });

  it('is drawn alike by a reader from its beginning and by one that joins at any moment, although blocks are sent once more', () => {
    fc.assert(
      fc.property(streamed, fc.array(fc.nat({ max: 40 }), { maxLength: 3 }), ({ events }, moments) => {
        const blocks = new OpenBlocks();
        const late = new Map<number, Draft | null>();
        let early: Draft | null = null;
        let alone: Draft | null = null;
        const draw = (draft: Draft | null, delta: ModelDelta): Draft => withDelta(draft, { turnId: 't', requestId: 'r', ...delta } as never);
        const all = (delta: ModelDelta): void => {
          early = draw(early, delta);
          for (const [moment, draft] of late) late.set(moment, draw(draft, delta));
        };
        for (const [count, delta] of accumulate(events).deltas.entries()) {
          if (moments.includes(count)) {
            late.set(count, null);
            blocks.deltas().forEach(all);
          }
          if (delta.start !== undefined) blocks.start(delta.start as Block);
          if (delta.delta !== undefined) blocks.extend(delta.index, delta.delta as Block);
          all(delta);
          alone = draw(alone, delta);
        }
        expect(early).toEqual(alone);
        for (const draft of late.values()) expect(JSON.stringify(draft, withoutOthers)).toBe(JSON.stringify(alone, withoutOthers));
      }),
    );
  });

  it('has a serializable partial message at any point, not modified by later events', () => {
    fc.assert(
      fc.property(streamed, fc.nat(), ({ events, message }, place) => {
        const count = place % events.length;
        const stream = new AnswerStream();
        for (const event of events.slice(0, count)) stream.take(event);
        const partial = stream.partial();
        const kept = JSON.stringify(partial);
        for (const event of events.slice(count)) stream.take(event);
        expect(JSON.stringify(partial)).toBe(kept);
        expect(partial === null).toBe(count === 0);
        if (partial) {
          expect(partial.stop_reason).toBeNull();
          expect(partial.content.length).toBeLessThanOrEqual(message.content.length);
        }
        expect(stream.answer().message).toEqual(message);
      }),
    );
  });
});

describe('an incomplete stream', () => {
  const begun: readonly StreamEvent[] = [
    { type: 'message_start', message: START },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"path": "/et' } },
  ];

  it('keeps a tool call with truncated input and records the raw input', () => {
    const { stream } = accumulate(begun);
    expect(stream.partial()).toMatchObject({
      content: [{ type: 'tool_use', id: 'toolu_1', input: {} }],
      unparsed_input: { toolu_1: '{"path": "/et' },
      stop_reason: null,
    });
    expect(() => stream.answer()).toThrow(StreamFault);
  });

  it('keeps a truncated call at the token limit', () => {
    const { stream } = accumulate([...begun, { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: {} }, { type: 'message_stop' }]);
    expect(stream.answer().message).toMatchObject({ stop_reason: 'max_tokens', unparsed_input: { toolu_1: '{"path": "/et' } });
  });

  it.each([
    ['an error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded_error', 'Overloaded'],
    ['a delta for no block', { type: 'content_block_delta', index: 3, delta: { type: 'text_delta', text: 'x' } }, 'stream_cut', 'block 3 has not started'],
    ['a block out of order', { type: 'content_block_start', index: 4, content_block: { type: 'text', text: '' } }, 'stream_cut', 'block 4 follows 1 blocks'],
    ['a second message', { type: 'message_start', message: START }, 'stream_cut', 'the message has already started'],
    ['a delta without one', { type: 'content_block_delta', index: 0 }, 'stream_cut', 'it has no delta'],
  ])('reports an invalid event: %s', (_name, event, code, sentence) => {
    const { stream } = accumulate(begun);
    expect(() => stream.take(event)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(sentence) }) as unknown as Error);
    expect(stream.partial()).not.toBeNull();
  });

  it('has no partial message before message_start', () => {
    expect(new AnswerStream().partial()).toBeNull();
    expect(() => new AnswerStream().take({ type: 'message_stop' })).toThrow(StreamFault);
  });
});
