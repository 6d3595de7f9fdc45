import type { CacheControl, ContentBlock } from '../message/content.js';
import type { RequestPrefix, PrefixDigests } from '../session/events.js';
import { isBlank } from '../message/unknown-json.js';
import type { MessageSerializer } from './message-serializer.js';
import type { Payload, PayloadMessage, PayloadTool } from './payload.js';
import { wellFormed } from '../message/well-formed.js';
import type { ClientTool } from '../message/tool-definition.js';

export interface Segments {
  readonly model: string;
  readonly maxTokens: number;
  readonly front: PrefixParts;
  readonly messages: readonly PayloadMessage[];
  readonly writer: MessageSerializer;
  readonly cacheMarkers: boolean;
  readonly toolChoice?: 'none';
}

/** What stands in front of the messages. */
export interface PrefixParts {
  readonly system: string;
  readonly tools: readonly PayloadTool[];
  readonly digests: Omit<RequestPrefix, 'messages'>;
}

/** `system`, with its named values behind it, one `key: value` line each. */
export function prefixParts(
  system: string | null,
  values: Readonly<Record<string, string>>,
  offered: readonly ClientTool[],
  sha256: (text: string) => string,
): PrefixParts {
  const text = systemText(system, values);
  const tools = offered.map(sendable);
  return { system: text, tools, digests: { system: sha256(text), tools: sha256(JSON.stringify(tools)) } };
}

export interface Assembled {
  readonly payload: Payload;
  /** The payload as JSON: `JSON.stringify(payload)`, of which each message was written once. */
  readonly body: string;
  readonly prefixDigests: PrefixDigests;
}

const MARKER: CacheControl = { type: 'ephemeral' };

/**
 * Puts a request together. Cache markers (at most three of the four the API allows) come last: on what stands in front of the conversation, and on the last
 * two user turns, so that the next request finds this one's prefix (docs: Prompt caching). They are never stored, and no part of the digests.
 */
export function assemble(parts: Segments, sha256: (text: string) => string): Assembled {
  const { system, tools, digests } = parts.front;
  const written = parts.messages.map((message, index) => parts.writer.write(index, message));
  const marked = parts.cacheMarkers ? markable(parts.messages) : [];
  const marker = parts.cacheMarkers ? { cache_control: MARKER } : {};
  const messages = parts.messages.map((message, index) => (marked.includes(index) ? withMarker(message) : message));
  const payload: Payload = {
    model: parts.model,
    max_tokens: parts.maxTokens,
    stream: true,
    ...(parts.toolChoice ? { tool_choice: { type: parts.toolChoice } } : {}),
    ...(system === '' ? {} : { system: [{ type: 'text', text: system, ...marker }] }),
    messages,
    ...(tools.length === 0 ? {} : { tools: system === '' ? tools.with(-1, { ...(tools.at(-1) as PayloadTool), ...marker }) : tools }),
  };
  const prefixDigests = {
    ...digests,
    messages: written.map(({ digest }) => digest),
    tail: parts.messages.slice(-TAIL).map(({ content }) => content.map((block) => sha256(JSON.stringify(block)))),
  };
  const texts = written.map(({ text }) => text);
  for (const index of marked) texts[index] = JSON.stringify(messages[index]);
  return { payload, body: bodyOf(payload, texts), prefixDigests };
}

/** Of so many messages at the end the digests of the single blocks are kept too: those may have grown by the next request. */
const TAIL = 2;

/** `JSON.stringify(payload)`, with the messages as they are written already; joined in one go, since a copy of the whole is what takes time here. */
function bodyOf({ messages: _, tools, ...front }: Payload, messages: readonly string[]): string {
  const before = `${JSON.stringify(front).slice(0, -1)},"messages":[`;
  const after = tools ? `],"tools":${JSON.stringify(tools)}}` : ']}';
  const [first = '', ...others] = messages;
  const last = others.pop();
  return last === undefined ? before + first + after : [before + first, ...others, last + after].join(',');
}

function systemText(system: string | null, values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values).map(([key, value]) => `${key}: ${value}`);
  const text = [isBlank(system) ? '' : (system ?? ''), lines.join('\n')].filter((part) => part !== '').join('\n\n');
  return wellFormed(text);
}

function sendable({ name, description, input_schema }: ClientTool): PayloadTool {
  return wellFormed({ name, ...(description === undefined ? {} : { description }), input_schema });
}

/** Indexes of the last two user turns. */
function markable(messages: readonly PayloadMessage[]): readonly number[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const before = messages.findLastIndex(({ role }, index) => role === 'user' && index < last);
  return [last, before].filter((index) => index >= 0);
}

function withMarker({ role, content }: PayloadMessage): PayloadMessage {
  const last: ContentBlock | undefined = content.at(-1);
  return last ? { role, content: content.with(-1, { ...last, cache_control: MARKER } as ContentBlock) } : { role, content };
}
