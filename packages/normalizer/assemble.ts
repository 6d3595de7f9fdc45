import type { CacheControl, ContentBlock } from '../protocol/message/content.js';
import type { RequestPrefix, PrefixDigests } from '../protocol/events/events.js';
import { isBlank } from '../protocol/message/unknown-json.js';
import { blockText } from '../protocol/message/written-input.js';
import type { ServerTool } from '../protocol/message/model-options.js';
import type { OptionMembers } from './models/fit-options.js';
import type { MessageSerializer } from './message-serializer.js';
import type { Payload, PayloadMessage, PayloadTool } from './payload.js';
import { wellFormed } from '../protocol/message/well-formed.js';
import type { ClientTool } from '../protocol/message/tool-definition.js';

export interface Segments {
  readonly model: string;
  readonly maxTokens: number;
  readonly prefix: PrefixParts;
  readonly messages: readonly PayloadMessage[];
  readonly serializer: MessageSerializer;
  readonly cacheMarkers: boolean;
  readonly options: OptionMembers;
  readonly previousMessageId?: string | null;
}

/** The parts of a request that precede its messages. */
export interface PrefixParts {
  readonly system: string;
  readonly tools: readonly (PayloadTool | ServerTool)[];
  readonly digests: Omit<RequestPrefix, 'messages'>;
}

/** `values` are appended to `system`, one `key: value` line each. `toolSearch`: whether tools may be deferred. */
export function prefixParts(
  system: string | null,
  values: Readonly<Record<string, string>>,
  offered: readonly ClientTool[],
  toolSearch: boolean,
  serverTools: readonly ServerTool[],
  sha256: (text: string) => string,
): PrefixParts {
  const text = systemText(system, values);
  // docs: Tool search tool, "All tools cannot be deferred": there would be none to search with.
  const defers = toolSearch && offered.some((tool) => tool.defer_loading !== true);
  const tools = [...offered.map((tool) => sendable(tool, defers)), ...serverTools];
  return { system: text, tools, digests: { system: sha256(text), tools: sha256(JSON.stringify(tools)) } };
}

export interface Assembled {
  readonly payload: Payload;
  /** The payload as JSON, inputs of calls as they were written, built from messages that were serialized once. */
  readonly body: string;
  readonly prefixDigests: PrefixDigests;
}

const MARKER: CacheControl = { type: 'ephemeral' };

/**
 * Assembles a request. Cache markers (at most three of the four the API allows) are set last: on the system prompt or the last tool, and on the last two user
 * turns, so that the next request finds this one's prefix in the cache (docs: Prompt caching). They are never stored and not part of the digests.
 */
export function assemble(parts: Segments, sha256: (text: string) => string): Assembled {
  const { system, tools, digests } = parts.prefix;
  const marker = parts.cacheMarkers ? { cache_control: MARKER } : {};
  const messages = parts.messages.slice();
  const marked = new Map<number, PayloadMessage>();
  for (const index of parts.cacheMarkers ? markable(messages) : []) marked.set(index, withMarker(messages[index] as PayloadMessage));
  for (const [index, message] of marked) messages[index] = message;
  const serialized = parts.serializer.all(parts.messages, marked);
  const payload: Payload = {
    model: parts.model,
    max_tokens: parts.maxTokens,
    stream: true,
    ...(parts.previousMessageId === undefined ? {} : { diagnostics: { previous_message_id: parts.previousMessageId } }),
    ...parts.options,
    ...(system === '' ? {} : { system: [{ type: 'text', text: system, ...marker }] }),
    messages,
    ...(tools.length === 0 ? {} : { tools: system === '' ? markedTools(tools, marker) : tools }),
  };
  const prefixDigests = {
    ...digests,
    messages: serialized.digests,
    tail: parts.messages.slice(-TAIL).map(({ content }) => content.map((block) => sha256(blockText(block)))),
  };
  return { payload, body: bodyOf(payload, serialized.texts), prefixDigests };
}

/** Number of last messages of which the digests of single blocks are kept: blocks may have been appended to them by the next request. */
const TAIL = 2;

/** The payload as JSON from serialized messages, with a single join, since copying the text is what costs time here. */
function bodyOf({ messages: _, tools, ...head }: Payload, messages: readonly string[]): string {
  const before = `${JSON.stringify(head).slice(0, -1)},"messages":[`;
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

function sendable({ name, description, input_schema, defer_loading }: ClientTool, defers: boolean): PayloadTool {
  const deferred = defers && defer_loading === true ? { defer_loading: true as const } : {};
  return wellFormed({ name, ...(description === undefined ? {} : { description }), input_schema, ...deferred });
}

/** docs: Tool search tool, "Tools with defer_loading cannot use prompt caching": the marker is set on the last tool that is not deferred. */
function markedTools(tools: PrefixParts['tools'], marker: { readonly cache_control?: CacheControl }): PrefixParts['tools'] {
  const last = tools.findLastIndex(({ defer_loading }) => defer_loading !== true);
  return tools.with(last, { ...tools[last]!, ...marker } as PayloadTool);
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
