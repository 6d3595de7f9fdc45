import type { StreamEvent } from '../stream.js';
import type { Signer } from './signature.js';

/** The offline model's response to a request. */
export type Script =
  | {
      readonly kind: 'answer';
      readonly requestId: string;
      readonly events: readonly StreamEvent[];
      /** Delay after each delta in milliseconds. */
      readonly delayMs: number;
    }
  | {
      readonly kind: 'error';
      readonly requestId: string;
      readonly status: number;
      readonly type: string;
      readonly message: string;
      readonly retryAfterSeconds: number | null;
    };

/** A content block, and what its deltas are made from. */
export type ScriptedBlock =
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'text'; readonly words: readonly string[] }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly json: string };

/** Splits a text into words with their trailing whitespace. */
export const wordsOf = (text: string): readonly string[] => text.match(/\S+\s*|\s+/gu) ?? [];

/** Estimate: four characters per token. */
export const tokensOf = (characters: number): number => Math.ceil(characters / 4);

/** The events of a response, as the API streams them (docs: Streaming messages). */
export function eventsOf(answer: {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly ScriptedBlock[];
  readonly stopReason: string;
  readonly inputTokens: number;
  readonly cached?: readonly [read: number, written: number];
  readonly signer: Signer;
}): readonly StreamEvent[] {
  const [read, written] = answer.cached ?? [0, 0];
  const usage = {
    input_tokens: answer.inputTokens,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: 1,
    service_tier: 'standard',
  };
  const message = {
    model: answer.model,
    id: answer.id,
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage,
  };
  let characters = 0;
  const events: StreamEvent[] = [{ type: 'message_start', message }];
  answer.blocks.forEach((block, index) => {
    const { start, deltas } = streamed(block, answer.signer);
    events.push({ type: 'content_block_start', index, content_block: start });
    if (index === 0) events.push({ type: 'ping' });
    for (const { size, ...delta } of deltas) {
      characters += size;
      events.push({ type: 'content_block_delta', index, delta });
    }
    events.push({ type: 'content_block_stop', index });
  });
  events.push({
    type: 'message_delta',
    delta: { stop_reason: answer.stopReason, stop_sequence: null, stop_details: null },
    usage: { ...usage, output_tokens: Math.max(1, tokensOf(characters)) },
  });
  events.push({ type: 'message_stop' });
  return events;
}

interface Delta {
  readonly type: string;
  readonly size: number;
  readonly [key: string]: unknown;
}

function streamed(block: ScriptedBlock, signer: Signer): { readonly start: object; readonly deltas: readonly Delta[] } {
  switch (block.type) {
    case 'thinking': {
      const signature = signer.sign(block.thinking);
      signer.add({ ...block, signature });
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...wordsOf(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking, size: thinking.length })),
          { type: 'signature_delta', signature, size: 0 },
        ],
      };
    }
    case 'text':
      signer.add({ type: 'text', text: block.words.join('') });
      return { start: { type: 'text', text: '' }, deltas: block.words.map((text) => ({ type: 'text_delta', text, size: text.length })) };
    case 'tool_use':
      signer.add({ type: 'tool_use', id: block.id, name: block.name, input: JSON.parse(block.json) as object });
      return {
        start: { type: 'tool_use', id: block.id, name: block.name, input: {} },
        deltas: ['', ...(block.json.match(/[\s\S]{1,24}/gu) ?? [])].map((json) => ({ type: 'input_json_delta', partial_json: json, size: json.length })),
      };
  }
}
