import type { CacheControl, ContentBlock } from '../protocol/message/content.js';
import type { RequestPrefix, PrefixDigests } from '../protocol/events/events.js';
import { isBlank } from '../protocol/message/unknown-json.js';
import { blockText } from '../protocol/message/written-input.js';
import type { ServerTool } from '../protocol/message/model-options.js';
import type { OptionMembers } from './models/fit-options.js';
import { GROWING } from './prefix.js';
import type { MessageSerializer } from './message-serializer.js';
import type { Payload, PayloadMessage, PayloadTool } from './payload.js';
import { type BodyFrame, bodyBytes } from '../protocol/request/body-text.js';
import { wellFormed } from '../protocol/message/well-formed.js';
import { MEMORY_TOOL, type RequestTool } from '../protocol/message/tool-definition.js';

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
  /** The tools as JSON. */
  readonly toolsText: string;
  readonly digests: Omit<RequestPrefix, 'messages'>;
}

/** `values` are appended to `system`, one `key: value` line each. `toolSearch`: whether tools may be deferred. */
export function prefixParts(
  system: string | null,
  values: Readonly<Record<string, string>>,
  offered: readonly RequestTool[],
  toolSearch: boolean,
  serverTools: readonly ServerTool[],
  sha256: (text: string) => string,
): PrefixParts {
  const text = systemText(system, values);
  // docs: Tool search tool, "All tools cannot be deferred": there would be none to search with.
  const defers = toolSearch && offered.some((tool) => tool.defer_loading !== true);
  const tools = [...offered.map((tool) => sendable(tool, defers)), ...serverTools];
  const toolsText = JSON.stringify(tools);
  return { system: text, tools, toolsText, digests: { system: sha256(text), tools: sha256(toolsText) } };
}

export interface Assembled {
  readonly payload: Payload;
  /** The payload as JSON in UTF-8, inputs of calls as they were written, built from messages that were serialized once. */
  readonly body: Uint8Array;
  readonly prefixDigests: PrefixDigests;
  /** The body without its messages. */
  readonly frame: BodyFrame;
}

const MARKER: CacheControl = { type: 'ephemeral' };
const MARKER_TEXT = JSON.stringify(MARKER);

/**
 * Assembles a request. Cache markers (at most three of the four the API allows) are set last: on the system prompt or the last tool, and on the last two user
 * turns, so that the next request finds this one's prefix in the cache (docs: Prompt caching). They are never stored and not part of the digests.
 */
export function assemble(parts: Segments, sha256: (text: string) => string): Assembled {
  const { system, tools, digests } = parts.prefix;
  const marker = parts.cacheMarkers ? { cache_control: MARKER } : {};
  const messages = parts.messages.slice();
  const marked = new Set(parts.cacheMarkers ? markable(messages) : []);
  for (const index of marked) messages[index] = withMarker(messages[index] as PayloadMessage);
  const serialized = parts.serializer.all(parts.messages, marked, MARKER_TEXT);
  const options = {
    model: parts.model,
    max_tokens: parts.maxTokens,
    stream: true as const,
    ...(parts.previousMessageId === undefined ? {} : { diagnostics: { previous_message_id: parts.previousMessageId } }),
    ...parts.options,
  };
  const markedTool = parts.cacheMarkers && system === '' ? markableTool(tools) : -1;
  const payload: Payload = {
    ...options,
    ...(system === '' ? {} : { system: [{ type: 'text', text: system, ...marker }] }),
    messages,
    ...(tools.length === 0 ? {} : { tools: markedTool < 0 ? tools : tools.with(markedTool, { ...tools[markedTool]!, ...marker } as PayloadTool) }),
  };
  const markers = { marker: MARKER_TEXT, system: system !== '', tools: endOfTool(parts.prefix, markedTool), messages: [...marked] };
  const frame: BodyFrame = {
    options: JSON.stringify(options).slice(0, -1),
    system,
    tools: parts.prefix.toolsText,
    markers: parts.cacheMarkers ? markers : null,
  };
  const prefixDigests = {
    ...digests,
    messages: serialized.digests,
    tail: parts.messages.slice(-GROWING).map(({ content }) => content.map((block) => sha256(blockText(block)))),
  };
  return { payload, body: bodyBytes(frame, serialized.pieces), prefixDigests, frame };
}

function systemText(system: string | null, values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values).map(([key, value]) => `${key}: ${value}`);
  const text = [isBlank(system) ? '' : (system ?? ''), lines.join('\n')].filter((part) => part !== '').join('\n\n');
  return wellFormed(text);
}

function sendable({ name, description, input_schema, defer_loading, type }: RequestTool, defers: boolean): PayloadTool | ServerTool {
  // Other types, such as of an imported session, are not ours: a tool is sent by what describes it.
  if (type === MEMORY_TOOL.type && name === MEMORY_TOOL.name) return { type, name };
  const deferred = defers && defer_loading === true ? { defer_loading: true as const } : {};
  return wellFormed({ name, ...(description === undefined ? {} : { description }), input_schema, ...deferred });
}

/** docs: Tool search tool, "Tools with defer_loading cannot use prompt caching": the marker is set on the last tool that is not deferred, unless it has one. -1: on none. */
function markableTool(tools: PrefixParts['tools']): number {
  const last = tools.findLastIndex(({ defer_loading }) => defer_loading !== true);
  return last >= 0 && 'cache_control' in tools[last]! ? -1 : last;
}

/** Where the members of the tool end in the text of all tools. */
function endOfTool({ tools }: PrefixParts, index: number): number | null {
  if (index < 0) return null;
  return tools.slice(0, index + 1).reduce((end, tool) => end + JSON.stringify(tool).length + 1, 0) - 1;
}

/** Indexes of the last two user turns. */
function markable(messages: readonly PayloadMessage[]): readonly number[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const before = messages.findLastIndex(({ role }, index) => role === 'user' && index < last);
  return [last, before].filter((index) => (messages[index]?.content.length ?? 0) > 0);
}

function withMarker({ role, content }: PayloadMessage): PayloadMessage {
  const last: ContentBlock | undefined = content.at(-1);
  return last ? { role, content: content.with(-1, { ...last, cache_control: MARKER } as ContentBlock) } : { role, content };
}
