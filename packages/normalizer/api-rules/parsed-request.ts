import type { Profile } from '../models/profiles.js';
import type { Report } from './problem.js';

/** An unvalidated JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** One content block. A string content counts as one text block. */
export interface ParsedBlock {
  /** JSON path of the block, or of the string content it represents. */
  readonly at: string;
  readonly message: number;
  readonly index: number;
  /** Empty when the block has no type. */
  readonly type: string;
  readonly value: JsonObject;
}

export interface ParsedMessage {
  readonly index: number;
  readonly role: string;
  /** Whether the content is `""` or `[]`. */
  readonly isEmpty: boolean;
  readonly blocks: readonly ParsedBlock[];
}

/** Consecutive messages of one role, which the API merges into one turn (docs: Messages API, `messages`). */
export interface Turn {
  readonly role: string;
  readonly firstMessage: number;
  readonly blocks: readonly ParsedBlock[];
}

export type SignatureVerdict = 'valid' | 'invalid' | 'other-conversation';

/** Judges a `thinking` or `redacted_thinking` block in the body it is sent in. Must not throw. */
export type SignatureCheck = (block: JsonObject, context: { readonly body: JsonObject; readonly at: string }) => boolean | SignatureVerdict;

/** Value of the `anthropic-version` header (docs: API versions). */
export const API_VERSIONS = ['2023-06-01', '2026-10-21'] as const;
export type ApiVersion = (typeof API_VERSIONS)[number];

/** The version that requests are made for and sent with. */
export const SENT_API_VERSION: ApiVersion = '2026-10-21';

/** What the checks need to know beyond the body. */
export interface CheckSettings {
  /** Default: any string that is not empty verifies. */
  readonly signatureIsValid?: SignatureCheck;
  /** Default: every model exists. */
  readonly modelExists?: (model: string) => boolean;
  /** Values of the `anthropic-beta` header; default none. */
  readonly betas?: readonly string[];
  /** Default: the version of the requests that are sent. */
  readonly apiVersion?: ApiVersion;
  /** The values that the API knows today; default: any. */
  readonly knownBetas?: ReadonlySet<string>;
  /** Size of the body as it is sent; default: as `JSON.stringify` would write it. */
  readonly bodyBytes?: number;
  /** Tokens of the whole input; without it the context window is not checked. */
  readonly inputTokens?: number;
  /** What to do where reports about the API disagree; default `accept`. */
  readonly disputedRules?: 'accept' | 'reject';
}

/** The parts of a request body that have the expected type. Values of another type are omitted here; the schema stage reports them. */
export interface ParsedRequest {
  readonly body: JsonObject;
  readonly messages: readonly ParsedMessage[];
  readonly turns: readonly Turn[];
  readonly tools: readonly JsonObject[];
  readonly profile: Profile;
  readonly settings: CheckSettings & { readonly apiVersion: ApiVersion };
}

/** One group of rules. */
export type Stage = (request: ParsedRequest, report: Report) => void;

export function parseRequest(body: JsonObject, profile: Profile, settings: CheckSettings): ParsedRequest {
  const messages = parsedMessages(body['messages']);
  return {
    body,
    messages,
    turns: turnsOf(messages),
    tools: listOf(body['tools']).filter(isObject),
    profile,
    settings: { apiVersion: SENT_API_VERSION, ...settings },
  };
}

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whether the request continues a thread: it has only what is new (docs: Message threads). */
export const continuesThread = (body: JsonObject): boolean => isObject(body['thread']) && body['thread']['type'] === 'continue';

/** The blocks of a `content` value: a list, a string (one text block), or anything else (none). */
export function blocksOf(content: unknown, at: string, message = -1): readonly ParsedBlock[] {
  if (typeof content === 'string') {
    return content === '' ? [] : [{ at, message, index: 0, type: 'text', value: { type: 'text', text: content } }];
  }
  return listOf(content).map((entry, index) => {
    const value = isObject(entry) ? entry : {};
    return { at: `${at}.${index}`, message, index, type: textOf(value['type']), value };
  });
}

export const parsedMessages = (messages: unknown): readonly ParsedMessage[] => listOf(messages).map(parseMessage);

function parseMessage(entry: unknown, index: number): ParsedMessage {
  const message = isObject(entry) ? entry : {};
  const content = message['content'];
  return {
    index,
    role: textOf(message['role']),
    isEmpty: content === '' || (Array.isArray(content) && content.length === 0),
    blocks: blocksOf(content, `messages.${index}.content`, index),
  };
}

export function turnsOf(messages: readonly ParsedMessage[]): readonly Turn[] {
  const turns: { role: string; firstMessage: number; blocks: ParsedBlock[] }[] = [];
  for (const { index, role, blocks } of messages) {
    let turn = turns.at(-1);
    if (turn?.role !== role) turns.push((turn = { role, firstMessage: index, blocks: [] }));
    for (const block of blocks) turn.blocks.push(block);
  }
  return turns;
}
