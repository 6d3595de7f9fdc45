/**
 * Content blocks, as the model API writes them (snake_case is the API's, not ours).
 *
 * Blocks of kinds not listed here (server tools, citations' carriers, whatever comes next) flow through the system untouched: they are stored,
 * shown and sent as they came. Code that looks inside a block first narrows it by `type` and leaves every other kind alone.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

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

/** Bytes that are stored once and named by what they hold. In our messages only: they are put in before anything is sent. */
export interface BlobSource {
  readonly type: 'blob';
  readonly media_type: string;
  /** SHA-256, hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  /** Pixels, of an image. */
  readonly width?: number;
  readonly height?: number;
  /** Of a PDF that tells. */
  readonly pages?: number;
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

/** Whether a value names stored bytes, wherever it was found. */
export function isBlobSource(value: unknown): value is BlobSource {
  return typeof value === 'object' && value !== null && (value as BlobSource).type === 'blob' && typeof (value as BlobSource).sha256 === 'string';
}

/** Content in the one shape code works on: text is a single text block. An empty string is no block at all. */
export function blocksOf(content: Content | undefined): readonly ContentBlock[] {
  if (content === undefined || content === '') return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** The text of the text blocks, one per line; other kinds are left out. */
export function textOf(content: Content | undefined): string {
  if (typeof content === 'string') return content;
  return blocksOf(content)
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n');
}
