import { canonicalBlock, canonicalJson } from '../../../../packages/protocol/request/canonical.ts';
import type { Row, Stored } from './align.ts';

/** Kinds of stored messages and blocks, and what happened to them, in words. */

const ACTION_WORDS: Readonly<Record<string, string>> = {
  kept: 'sent as stored',
  changed: 'sent changed',
  moved: 'sent at another place',
  merged: 'sent as part of another block',
  dropped: 'not sent',
  added: 'made for the request',
};

export const actionWords = (action: Row['entry']['action']): string => ACTION_WORDS[action] ?? action;

export function storedLabel({ message }: Stored): string {
  switch (message.type) {
    case 'user':
      return message.isMeta ? 'note to the model' : message.isCompactSummary ? 'summary' : isToolResult(message) ? 'tool result' : 'prompt';
    case 'assistant':
      return 'answer';
    case 'attachment':
      return `context: ${message.attachment.type.replaceAll('_', ' ')}`;
    case 'system':
      return message.subtype.replaceAll('_', ' ');
    default:
      return message.type.replaceAll('_', ' ');
  }
}

function isToolResult(message: Extract<Stored['message'], { type: 'user' }>): boolean {
  return Array.isArray(message.content) && message.content.some(({ type }) => type === 'tool_result');
}

/** The text that two versions of a block are compared by. */
export function blockText(block: unknown): string {
  if (typeof block !== 'object' || block === null) return String(block);
  const { type, text, thinking, content } = block as {
    readonly type?: unknown;
    readonly text?: unknown;
    readonly thinking?: unknown;
    readonly content?: unknown;
  };
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'thinking' && typeof thinking === 'string') return thinking;
  if (type === 'tool_result' && typeof content === 'string') return content;
  return linesOf(withoutBytes(block)).join('\n');
}

/** An object as lines of names and values. A text of several lines stands as it is below its name, so that its lines can be compared. */
function linesOf(value: unknown, indent = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`${indent}${String(value)}`];
  return Object.entries(value).flatMap(([name, member]: readonly [string, unknown]) => {
    const label = `${indent}${name}:`;
    if (typeof member === 'string') return member.includes('\n') ? [label, member] : [`${label} ${member}`];
    if (typeof member !== 'object' || member === null) return [`${label} ${String(member)}`];
    if (Object.keys(member).length === 0) return [`${label} ${Array.isArray(member) ? '[]' : '{}'}`];
    return [label, ...linesOf(member, `${indent}  `)];
  });
}

/** Whether a block is sent as it is stored. The server puts the mark up to which the cache keeps the request, which is said beside the block. */
export function isSame(stored: unknown, sent: unknown): boolean {
  return canonicalJson(stored) === (hasCacheMark(stored) ? canonicalJson(sent) : canonicalBlock(sent));
}

/** What differs: the texts, or else other members, such as a mark of the cache. */
export function textsOf(stored: unknown, sent: unknown): { readonly before: string; readonly after: string } {
  const [before, after] = [blockText(stored), blockText(sent)];
  if (before !== after) return { before, after };
  return { before: linesOf(withoutBytes(stored)).join('\n'), after: linesOf(withoutBytes(sent)).join('\n') };
}

export const hasCacheMark = (block: unknown): boolean => typeof block === 'object' && block !== null && 'cache_control' in block;

export const kindOf = (block: unknown): string => String((block as { readonly type?: unknown } | null)?.type ?? 'message');

/** Bytes as base64 are replaced by their length. */
export function withoutBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'data' && typeof member === 'string' && member.length > 400 ? `(base64, ${member.length} characters)` : withoutBytes(member),
    ]),
  );
}

/** Causes of a broken prefix in words; a cause that is none of them is the name of a pass. */
const CAUSES: Readonly<Record<string, string>> = {
  model: 'another model was asked',
  gates: 'a feature gate was switched',
  compaction: 'the conversation was compacted',
  rewind: 'the conversation was rewound',
  normalization: 'the server builds requests another way since',
};

export function causeInWords(cause: string): string {
  const [, what] = /^configuration: (.+)$/.exec(cause) ?? [];
  return what === undefined ? (CAUSES[cause] ?? `the pass ${cause} treated a block differently`) : `the configuration changed (${what})`;
}

/** What programs that use the Anthropic door call themselves, and what people call them. */
const CLIENT_NAMES: Readonly<Record<string, string>> = {
  'claude-cli': 'Claude Code',
  'claude-code': 'Claude Code',
  Anthropic: 'Anthropic SDK',
  ai: 'AI SDK',
  'ai-sdk': 'AI SDK',
  langchain: 'LangChain',
};

/** A client by its user agent (RFC 9110: products, each a name and a version, and comments), such as `claude-cli/2.1.9 (external, cli)`. */
export function clientName(userAgent: string | null): string {
  const [, name, version] = /^([^\s/()]+)(?:\/([^\s()]+))?/.exec(userAgent ?? '') ?? [];
  if (name === undefined) return 'a client without a name';
  return [CLIENT_NAMES[name] ?? name, version].filter((part) => part !== undefined).join(' ');
}

/** Why an answer ended, in words; another reason is said as the model API does. */
const STOPS: Readonly<Record<string, string>> = {
  end_turn: 'end of the turn',
  tool_use: 'calls tools',
  max_tokens: 'out of tokens',
  stop_sequence: 'at a stop sequence',
  pause_turn: 'pauses',
  refusal: 'refuses',
  model_context_window_exceeded: 'out of context',
};

export const stopInWords = (reason: string): string => STOPS[reason] ?? reason.replaceAll('_', ' ');
