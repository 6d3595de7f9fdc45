import type { CacheControl, ContentBlock, Json } from '../protocol/message/content.js';
import type { ServerTool } from '../protocol/message/model-options.js';
import type { SentMessage } from '../protocol/request/sent-body.js';
import type { OptionMembers } from './models/fit-options.js';

export interface PayloadMessage {
  readonly role: SentMessage['role'];
  readonly content: readonly ContentBlock[];
}

export interface PayloadTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: Json;
  readonly defer_loading?: true;
  readonly cache_control?: CacheControl;
}

/** The request body: the JSON of this value, in which inputs of calls stand as they were written, is what is hashed and sent. `system` and `tools` are left out when empty. */
export interface Payload extends OptionMembers {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: true;
  readonly diagnostics?: { readonly previous_message_id: string | null };
  readonly system?: readonly { readonly type: 'text'; readonly text: string; readonly cache_control?: CacheControl }[];
  readonly messages: readonly PayloadMessage[];
  readonly tools?: readonly (PayloadTool | ServerTool)[];
}
