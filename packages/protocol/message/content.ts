import type { Json } from '../json.js';
import { isObject } from './unknown-json.js';

/**
 * Content blocks, as the model API writes them (snake_case is the API's, not ours).
 *
 * Blocks of types not listed here (server tools, future additions) are stored, shown and sent unchanged. Code that reads a block first narrows it by `type` and
 * ignores other types.
 */

export type { Json };

export interface CacheControl {
  readonly type: 'ephemeral';
  readonly ttl?: '5m' | '1h';
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: readonly Json[] | null;
  readonly cache_control?: CacheControl;
}

export type MediaSource =
  | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'file'; readonly file_id: string }
  | { readonly type: 'text'; readonly media_type: string; readonly data: string }
  | { readonly type: 'content'; readonly content: Json }
  | BlobSource;

/** Reference to stored bytes by their hash. Only in stored messages: the bytes are inserted before a request is sent. */
export interface BlobSource {
  readonly type: 'blob';
  readonly media_type: string;
  /** SHA-256, hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  /** Of an image, in pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Of a PDF; absent when it could not be read. */
  readonly pages?: number;
  /** Of an image that was scaled down for the model and has no prompt that refers to it: the bytes as they came. */
  readonly original?: BlobSource;
}

export interface ImageBlock {
  readonly type: 'image';
  readonly source: MediaSource;
  readonly cache_control?: CacheControl;
}

export interface DocumentBlock {
  readonly type: 'document';
  readonly source: MediaSource;
  readonly title?: string | null;
  readonly context?: string | null;
  readonly citations?: Json;
  readonly cache_control?: CacheControl;
}

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  readonly caller?: Json;
  readonly cache_control?: CacheControl;
}

export interface ToolReferenceBlock {
  readonly type: 'tool_reference';
  readonly tool_name: string;
}

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: string | readonly ContentBlock[];
  readonly is_error?: boolean;
  readonly cache_control?: CacheControl;
}

export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
}

export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

export type ContentBlock = TextBlock | ImageBlock | DocumentBlock | ToolUseBlock | ToolReferenceBlock | ToolResultBlock | ThinkingBlock | RedactedThinkingBlock;

export type Content = string | readonly ContentBlock[];

/** A string, or a list of blocks, each an object with a type. */
export const isContent = (value: unknown): value is Content =>
  typeof value === 'string' || (Array.isArray(value) && value.every((block) => isObject(block) && typeof block['type'] === 'string'));

/** Whether a value references stored bytes. */
export function isBlobSource(value: unknown): value is BlobSource {
  return typeof value === 'object' && value !== null && (value as BlobSource).type === 'blob' && typeof (value as BlobSource).sha256 === 'string';
}

/** Content as a list of blocks: a string is one text block, an empty string none. */
export function blocksOf(content: Content | undefined): readonly ContentBlock[] {
  if (content === undefined || content === '') return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** The texts of the text blocks, joined by newlines; other blocks are omitted. */
export function textOf(content: Content | undefined): string {
  if (typeof content === 'string') return content;
  return blocksOf(content)
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n');
}
