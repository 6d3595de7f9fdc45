import type { CacheControl, ContentBlock, Json } from '../message/content.js';

export interface PayloadMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
}

export interface PayloadTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: Json;
  readonly cache_control?: CacheControl;
}

/** The request body, exactly as it is sent: `JSON.stringify` of this value is what is hashed. `system` and `tools` are left out when empty. */
export interface Payload {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: true;
  readonly tool_choice?: { readonly type: 'none' };
  readonly system?: readonly { readonly type: 'text'; readonly text: string; readonly cache_control?: CacheControl }[];
  readonly messages: readonly PayloadMessage[];
  readonly tools?: readonly PayloadTool[];
}

/** What happened to one original block on its way into the payload. */
export interface TraceEntry {
  /** The original block: its message and its index there. Null for what was made up. */
  readonly source: { readonly uuid: string; readonly index: number } | null;
  readonly action: 'kept' | 'changed' | 'moved' | 'merged' | 'dropped' | 'made';
  readonly pass: string;
  readonly reason: string;
  /** Where it stands in the payload; null when it does not. */
  readonly target: { readonly message: number; readonly block: number } | null;
}
