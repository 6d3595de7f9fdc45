import { describe, expect, it } from '@jest/globals';
import * as ai from 'ai';
import * as ai6 from 'ai-6';
import fc from 'fast-check';
import type { Json } from '../../packages/protocol/message/content.js';
import type { SessionEvent } from '../../packages/protocol/events/events.js';
import { OpenBlocks } from '../../packages/protocol/message/open-blocks.js';
import type { ModelDelta } from '../../src/ports/index.js';
import type { Chunk } from '../../src/features/ui-chat/chunks.js';
import { TurnChunks } from '../../src/features/ui-chat/turn-chunks.js';
import { SentChunks } from '../../src/features/ui-chat/ui-format.js';
import { partsAfter } from '../../src/features/ui-chat/ui-message.js';
import { runs } from '../support/property-runs.js';

const TURN = 'turn';

/** What happens: an event of the log, or a delta. */
type Step = { readonly stored: SessionEvent } | { readonly delta: Json };

const event = (type: string, data: object): Step => ({ stored: { type, data: { turnId: TURN, ...data } } as unknown as SessionEvent });
const delta = (data: object): Step => ({ delta: { turnId: TURN, ...data } as unknown as Json });

/** The parts of the message that the AI SDK makes of the chunks. Throws when it rejects one. */
async function partsInSdk(chunks: readonly Chunk[], { readUIMessageStream } = ai): Promise<unknown> {
  const stream = new ReadableStream<ai.UIMessageChunk>({
    start: (controller) => {
      controller.enqueue({ type: 'start', messageId: TURN });
      for (const chunk of chunks) controller.enqueue(chunk as ai.UIMessageChunk);
      // Metadata makes the SDK report its message once more, with everything before.
      controller.enqueue({ type: 'message-metadata', messageMetadata: {} });
      controller.close();
    },
  });
  let parts: unknown = [];
  const fail = (error: unknown): never => {
    throw error;
  };
  for await (const message of readUIMessageStream({ stream, terminateOnError: true, onError: fail })) parts = message.parts;
  return JSON.parse(JSON.stringify(parts)) as unknown;
}

/** Whether a client of this version accepts the chunk. */
async function isKnown({ uiMessageChunkSchema }: typeof ai, chunk: Chunk): Promise<boolean> {
  const result = await uiMessageChunkSchema().validate!(chunk);
  return result.success;
}

function chunksOf(steps: readonly Step[], continues = false): readonly Chunk[] {
  const turn = new TurnChunks(TURN, 'prompt', continues);
  return steps.flatMap((step) => ('stored' in step ? turn.stored(step.stored) : turn.live('message.delta', step.delta)));
}

const stored = (steps: readonly Step[]): readonly Step[] => steps.filter((step) => 'stored' in step);

interface Block {
  readonly type: string;
  readonly [name: string]: unknown;
}

const words = fc.string({ maxLength: 12 });
const text = words.map((value): Block => ({ type: 'text', text: value }));
const thinking = words.map((value): Block => ({ type: 'thinking', thinking: value, signature: 's' }));
const hidden = fc.constant<Block>({ type: 'redacted_thinking', data: 'x' });
const cited = words.map((value): Block => ({
  type: 'text',
  text: value,
  citations: [{ type: 'web_search_result_location', url: 'https://a.test/', title: 'A', cited_text: 'x' }],
}));
const call = fc.record({ name: fc.constantFrom('Work', 'Look'), input: fc.dictionary(fc.constantFrom('a', 'b'), words) });
const answer = fc.record({
  blocks: fc.array(fc.oneof(text, thinking, hidden, cited), { maxLength: 4 }),
  calls: fc.array(fc.record({ call, outcome: fc.constantFrom('output', 'error', 'allowed', 'rejected') }), { maxLength: 2 }),
  failures: fc.nat(2),
});
const turns = fc.record({
  answers: fc.array(answer, { minLength: 1, maxLength: 3 }),
  end: fc.constantFrom('turn.completed', 'turn.interrupted', 'turn.failed'),
});

/** The deltas of a block, as the model sends them. */
function deltasOf(requestId: string, index: number, block: Block): readonly Step[] {
  const piece = (data: object): Step => delta({ requestId, index, delta: data });
  const value = String(block['text'] ?? block['thinking'] ?? '');
  const halves = [value.slice(0, value.length >> 1), value.slice(value.length >> 1)];
  switch (block.type) {
    case 'text':
      return [delta({ requestId, index, start: { type: 'text', text: '' } }), ...halves.map((half) => piece({ type: 'text_delta', text: half }))];
    case 'thinking':
      return [
        delta({ requestId, index, start: { type: 'thinking', thinking: '', signature: '' } }),
        ...halves.map((half) => piece({ type: 'thinking_delta', thinking: half })),
        piece({ type: 'signature_delta', signature: 's' }),
      ];
    case 'tool_use': {
      const json = JSON.stringify(block['input']);
      return [
        delta({ requestId, index, start: { type: 'tool_use', id: block['id'], name: block['name'], input: {} } }),
        piece({ type: 'input_json_delta', partial_json: json.slice(0, 3) }),
        piece({ type: 'input_json_delta', partial_json: json.slice(3) }),
      ];
    }
    default:
      return [delta({ requestId, index, start: block })];
  }
}

/** A turn as it is recorded, with all its deltas. */
function stepsOf({ answers, end }: typeof turns extends fc.Arbitrary<infer T> ? T : never): readonly Step[] {
  const steps = answers.flatMap(({ blocks, calls, failures }, position): readonly Step[] => {
    const made = calls.map((given, index) => ({ ...given, id: `call-${position}-${index}` }));
    const content = [...blocks, ...made.map(({ call: { name, input }, id }): Block => ({ type: 'tool_use', id, name, input }))];
    const failed = Array.from({ length: failures }, (_, attempt) => `request-${position}-${attempt}`).flatMap((requestId) => [
      ...content.slice(0, 1).flatMap((block, index) => deltasOf(requestId, index, block)),
      event('request.failed', { requestId, error: { code: 'x', message: 'x' } }),
    ]);
    const requestId = `request-${position}`;
    const asked = made.filter(({ outcome }) => outcome === 'allowed' || outcome === 'rejected').map(({ id }) => id);
    const results = made.flatMap(({ id, outcome }): readonly Step[] => [
      ...(outcome === 'rejected' ? [event('tool.decided', { toolUseId: id, name: 'x', decision: 'reject', by: 'user', feedback: 'no' })] : []),
      ...(outcome === 'allowed' ? [event('tool.decided', { toolUseId: id, name: 'x', decision: 'allow', by: 'user' })] : []),
    ]);
    const outputs = made.map(({ id, outcome }) => {
      const result = { type: 'tool_result', tool_use_id: id, content: 'out', ...(outcome === 'error' || outcome === 'rejected' ? { is_error: true } : {}) };
      return event('message.appended', { message: { type: 'user', uuid: id, isMeta: true, content: [result] } });
    });
    return [
      ...failed,
      ...content.flatMap((block, index) => deltasOf(requestId, index, block)),
      event('message.appended', { message: { type: 'assistant', uuid: requestId, requestId, message: { content } } }),
      ...(asked.length === 0 ? [] : [event('turn.waiting', { toolUseIds: [], decisions: asked })]),
      ...results,
      ...(asked.length === 0 ? [] : [event('turn.resumed', {})]),
      ...outputs,
    ];
  });
  return [...steps, event(end, { stopReason: 'end_turn', error: { code: 'x', message: 'It failed.' } })];
}

describe('the UI message stream of a turn', () => {
  it('gives the parts that the stored messages have, whatever deltas are lost, doubled, or late', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.array(fc.constantFrom(1, 1, 1, 0, 2), { minLength: 200, maxLength: 200 }), fc.nat(40), async (turn, copies, join) => {
        const all = stepsOf(turn);
        const expected = await partsInSdk(chunksOf(stored(all)));
        const seen = all.flatMap((step, index): readonly Step[] =>
          'stored' in step ? [step] : Array.from({ length: index < join ? 0 : (copies[index] ?? 1) }, () => step),
        );
        expect(await partsInSdk(chunksOf(seen))).toEqual(expected);
        expect(await partsInSdk(chunksOf(all))).toEqual(expected);
      }),
      runs(50),
    );
  });

  it('is put together by the server as the AI SDK does', async () => {
    await fc.assert(
      fc.asyncProperty(turns, async (turn) => {
        const chunks = chunksOf(stored(stepsOf(turn)));
        const sdk = (await partsInSdk(chunks)) as readonly Record<string, unknown>[];
        // Open parts and the ids of parts are details of a message that streams.
        const plain = (parts: readonly object[]): unknown => JSON.parse(JSON.stringify(parts));
        expect(plain(partsAfter(chunks))).toEqual(sdk);
      }),
      runs(50),
    );
  });

  it.each([
    [6, ai6 as unknown as typeof ai],
    [7, ai],
  ])('is read by version %d of the SDK as it is sent; only a failed attempt needs version 7', async (version, sdk) => {
    const shape = (parts: unknown): unknown => (parts as readonly object[]).map((part) => ({ ...part, approval: undefined }));
    await fc.assert(
      fc.asyncProperty(turns, async (turn) => {
        const answers = turn.answers.map((one) => (version === 6 ? { ...one, failures: 0 } : one));
        const chunks = chunksOf(stepsOf({ ...turn, answers }));
        const sent = new SentChunks().of(chunks);
        for (const chunk of sent) expect(await isKnown(sdk, chunk)).toBe(true);
        expect(shape(await partsInSdk(sent, sdk))).toEqual(shape(await partsInSdk(chunks)));
      }),
      runs(50),
    );
  });

  it('sends nothing twice when every delta arrives: the stored message adds only ends, inputs and sources', () => {
    fc.assert(
      fc.property(turns, (turn) => {
        const all = stepsOf({ ...turn, answers: turn.answers.map((one) => ({ ...one, failures: 0 })) });
        expect(chunksOf(all).filter(({ type }) => type === 'reset-step')).toEqual([]);
        const lengthOf = (chunks: readonly Chunk[]): number => chunks.reduce((sum, chunk) => sum + (chunk.type === 'text-delta' ? chunk.delta.length : 0), 0);
        expect(lengthOf(chunksOf(all))).toBe(lengthOf(chunksOf(stored(all))));
      }),
    );
  });

  it('sends nothing more when the blocks of an answer are sent once more, for a reader that has joined', () => {
    fc.assert(
      fc.property(turns, fc.array(fc.nat(40), { maxLength: 3 }), (turn, moments) => {
        const all = stepsOf(turn);
        const blocks = new Map<string, OpenBlocks>();
        const repeated = all.flatMap((step, moment): readonly Step[] => {
          if ('stored' in step) return [step];
          const { requestId, index, start, delta: piece } = step.delta as unknown as ModelDelta & { readonly requestId: string };
          const open = blocks.get(requestId) ?? new OpenBlocks();
          blocks.set(requestId, open);
          if (start !== undefined) open.start(start as Readonly<Record<string, unknown>>);
          if (piece !== undefined) open.extend(index, piece as Readonly<Record<string, unknown>>);
          return [step, ...(moments.includes(moment) ? open.deltas().map((one) => delta({ requestId, ...one })) : [])];
        });
        expect(chunksOf(repeated)).toEqual(chunksOf(all));
      }),
      runs(50),
    );
  });

  it('ignores other turns, summaries, and what comes after the stored message', () => {
    const turn = new TurnChunks(TURN, 'prompt');
    const start = { requestId: 'r', index: 0, start: { type: 'text', text: '' } };
    expect(turn.live('message.delta', { turnId: 'other', ...start })).toEqual([]);
    expect(turn.live('message.delta', { turnId: TURN, purpose: 'compaction', ...start })).toEqual([]);
    turn.stored(
      (event('message.appended', { message: { type: 'assistant', uuid: 'r', requestId: 'r', message: { content: [] } } }) as { stored: SessionEvent }).stored,
    );
    expect(turn.live('message.delta', { turnId: TURN, ...start })).toEqual([]);
  });

  it('ends with the turn, and where the turn waits', () => {
    const at = (type: string, data: object = {}) => {
      const turn = new TurnChunks(TURN, 'prompt');
      turn.stored((event(type, data) as { stored: SessionEvent }).stored);
      return { closing: turn.closing, isOver: turn.isOver };
    };
    expect(at('turn.completed', { stopReason: 'max_tokens' })).toEqual({ closing: [{ type: 'finish', finishReason: 'length' }], isOver: true });
    expect(at('turn.interrupted')).toEqual({ closing: [{ type: 'abort', reason: 'interrupted' }], isOver: true });
    expect(at('turn.failed', { error: { code: 'x', message: 'No.' } })).toEqual({ closing: [{ type: 'error', errorText: 'No.' }], isOver: true });
    expect(at('turn.waiting', { toolUseIds: ['t'] })).toEqual({ closing: [{ type: 'finish', finishReason: 'tool-calls' }], isOver: false });
    expect(at('turn.resumed')).toEqual({ closing: null, isOver: false });
    expect(at('prompt.withdrawn', { promptId: 'prompt', turnId: undefined }).closing).toEqual([{ type: 'abort', reason: 'withdrawn' }]);
  });
});
