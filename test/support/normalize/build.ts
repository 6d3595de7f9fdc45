import { createHash } from 'node:crypto';
import type { Content, ContentBlock } from '../../../packages/protocol/message/content.js';
import type { Message } from '../../../packages/protocol/message/message.js';
import { buildPayload, type BuiltPayload, type PayloadInput } from '../../../packages/normalizer/build-payload.js';
import { normalize, type Normalized } from '../../../packages/normalizer/normalize.js';
import type { Pass, PassContext } from '../../../packages/normalizer/pass.js';
import { profileFor } from '../../../packages/normalizer/models/profiles.js';
import { offeredTools } from '../../../packages/normalizer/offered-tools.js';
import { Tracer } from '../../../packages/normalizer/trace.js';
import { lift, type WorkingKind } from '../../../packages/normalizer/working-message.js';
import { DEFAULT_NORMALIZE_GATES } from '../../../packages/protocol/gates.js';

export const MODEL = 'claude-sonnet-5-5';

/** The identity is injective, which is all a digest needs here, and lets a failing test show what differs. */
export const noDigest = (content: string | Uint8Array): string => (typeof content === 'string' ? content : new TextDecoder().decode(content));
export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** A message without uuid, parent and timestamp. */
export type Entry = { readonly type: Message['type'] } & { readonly [key: string]: unknown };

export const uuidAt = (index: number): string => `${index.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;

/** Makes a chain of the entries: each is the parent of the next. */
export function conversation(...entries: readonly Entry[]): readonly Message[] {
  return entries.map((entry, index) => {
    const place = { uuid: uuidAt(index), parentUuid: index === 0 ? null : uuidAt(index - 1), timestamp: '2000-01-01T00:00:00.000Z' };
    return { ...place, ...entry } as unknown as Message;
  });
}

export const user = (content: Content | readonly object[], more: object = {}): Entry => ({ type: 'user', content, ...more });

export const assistant = (id: string, content: readonly object[], more: object = {}): Entry => ({
  type: 'assistant',
  message: { id, role: 'assistant', model: MODEL, content, stop_reason: 'end_turn' },
  ...more,
});

export const attachment = (type: string, more: object = {}): Entry => ({ type: 'attachment', attachment: { type, ...more } });
export const system = (subtype: string, content: string): Entry => ({ type: 'system', subtype, content });

export const text = (value: string): ContentBlock => ({ type: 'text', text: value });
export const call = (id: string, input: unknown = {}, name = 'Read'): ContentBlock => ({ type: 'tool_use', id, name, input }) as ContentBlock;
export const result = (id: string, content?: unknown, isError = false): ContentBlock =>
  ({ type: 'tool_result', tool_use_id: id, ...(content === undefined ? {} : { content }), ...(isError ? { is_error: true } : {}) }) as ContentBlock;
export const thinking = (value: string, signature = 'sig'): ContentBlock => ({ type: 'thinking', thinking: value, signature });
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const image = (data = PIXEL, mediaType = 'image/png'): ContentBlock => ({ type: 'image', source: { type: 'base64', media_type: mediaType, data } });

/** `tools`: names of tools that take any input. */
export function contextOf(changes: Partial<Omit<PassContext, 'tools'>> & { readonly tools?: Iterable<string> } = {}): PassContext {
  const { model = MODEL, tools = [], ...rest } = changes;
  const offered = offeredTools(Array.from(tools, (name) => ({ name, input_schema: { type: 'object' } })));
  return { profile: profileFor(model), model, gates: DEFAULT_NORMALIZE_GATES, tools: offered, userContext: {}, ...rest };
}

/** The result of one pass: kind and blocks of each message, and the trace without `kept`. */
export function runPass(pass: Pass, messages: readonly Message[], context: PassContext = contextOf()) {
  const before = lift(messages);
  const tracer = new Tracer(before);
  const after = pass.apply(before, context);
  tracer.compare(pass, before, after);
  const trace = tracer.finish(after);
  return {
    isSame: after === before,
    isIdempotent: pass.apply(after, context) === after,
    messages: after.map(({ kind, blocks }) => ({ kind, blocks: blocks.map(({ block }) => block) })),
    trace: trace
      .filter(({ action }) => action !== 'kept')
      .map(({ action, source, target }) => [action, placeOf(source), target && `${target.message}.${target.block}`]),
  };
}

const placeOf = (source: { readonly uuid: string; readonly index: number } | null): string | null =>
  source && `${parseInt(source.uuid.slice(0, 8), 16)}.${source.index}`;

export const turn = (kind: WorkingKind, ...blocks: readonly object[]) => ({ kind, blocks });

export const normalized = (messages: readonly Message[], changes: Parameters<typeof contextOf>[0] = {}): Normalized => normalize(messages, contextOf(changes));

export function view(messages: readonly Message[], changes: Partial<PayloadInput> = {}, withTrace = true, digest = noDigest): BuiltPayload {
  const settings = { system: null, context: {}, systemContext: {}, tools: [], gates: DEFAULT_NORMALIZE_GATES, model: MODEL, maxTokens: 1_000 };
  return buildPayload({ messages, ...settings, ...changes }, digest, withTrace);
}
