import type { CacheControl, ContentBlock } from '../message/content.js';
import type { ClientTool, PrefixDigests } from '../session/events.js';
import { isBlank } from './loose.js';
import type { ViewMemory, Written } from './memory.js';
import type { Payload, PayloadMessage, PayloadTool } from './payload.js';
import { wellFormed } from './well-formed.js';

export interface Parts {
  readonly model: string;
  readonly maxTokens: number;
  readonly system: string | null;
  readonly systemContext: Readonly<Record<string, string>>;
  readonly messages: readonly PayloadMessage[];
  readonly tools: readonly ClientTool[];
  readonly cacheMarkers: boolean;
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
export function assemble(parts: Parts, sha256: (text: string) => string, memory?: ViewMemory): Assembled {
  const system = systemText(parts);
  const tools = parts.tools.map(sendable);
  const write = (message: PayloadMessage): Written => {
    const text = JSON.stringify(message);
    return { message, text, digest: sha256(text) };
  };
  const written = parts.messages.map((message) => (memory ? memory.written(message, write) : write(message)));
  const marked = parts.cacheMarkers ? markable(parts.messages) : [];
  const marker = parts.cacheMarkers ? { cache_control: MARKER } : {};
  const messages = parts.messages.map((message, index) => (marked.includes(index) ? withMarker(message) : message));
  const payload: Payload = {
    model: parts.model,
    max_tokens: parts.maxTokens,
    stream: true,
    ...(system === '' ? {} : { system: [{ type: 'text', text: system, ...marker }] }),
    messages,
    ...(tools.length === 0 ? {} : { tools: system === '' ? tools.with(-1, { ...(tools.at(-1) as PayloadTool), ...marker }) : tools }),
  };
  const prefixDigests = {
    system: sha256(system),
    tools: sha256(JSON.stringify(tools)),
    messages: written.map(({ digest }) => digest),
    tail: parts.messages.slice(-TAIL).map(({ content }) => content.map((block) => sha256(JSON.stringify(block)))),
  };
  const texts = written.map(({ text }, index) => (marked.includes(index) ? JSON.stringify(messages[index]) : text));
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

/** The system prompt, then its named values, one `key: value` line each. */
function systemText({ system, systemContext }: Parts): string {
  const lines = Object.entries(systemContext).map(([key, value]) => `${key}: ${value}`);
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
