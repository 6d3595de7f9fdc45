import { crc32 } from '../../../packages/normalizer/media/crc32.js';
import type { CheckSettings, Rule } from '../../../packages/normalizer/api-rules/index.js';
import type { Provider } from '../../../packages/normalizer/models/profiles.js';

/** One rule: a body that violates it, the API's error message, and the smallest change that fixes it. */
export interface Row {
  readonly rule: Rule;
  /** Names the case, for rules with several rows. */
  readonly when?: string;
  readonly body: unknown;
  readonly fixed: unknown;
  readonly at: string;
  readonly text: string;
  readonly status?: 404 | 413;
  readonly provider?: Provider;
  readonly settings?: CheckSettings;
  /** Settings for `fixed`, when the fix is in the settings. */
  readonly fixedSettings?: CheckSettings;
}

type Json = Readonly<Record<string, unknown>>;

export const MODEL = 'claude-sonnet-5-5';
/** A model of the last generation with manual thinking, prefill and sampling parameters. */
export const OLDER_MODEL = 'claude-opus-4-5';

export const request = (messages: readonly unknown[], more: Json = {}): Json => ({
  model: MODEL,
  max_tokens: 1024,
  messages,
  ...more,
});
export const older = (messages: readonly unknown[], more: Json = {}): Json => request(messages, { model: OLDER_MODEL, ...more });

export const user = (...content: readonly unknown[]): Json => ({ role: 'user', content });
export const assistant = (...content: readonly unknown[]): Json => ({ role: 'assistant', content });
export const system = (...content: readonly unknown[]): Json => ({ role: 'system', content });

export const text = (value: string, more: Json = {}): Json => ({ type: 'text', text: value, ...more });
export const use = (id: string, more: Json = {}): Json => ({ type: 'tool_use', id, name: 'look', input: {}, ...more });
export const result = (id: string, more: Json = {}): Json => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'seen',
  ...more,
});
export const thought = (more: Json = {}): Json => ({
  type: 'thinking',
  thinking: 'Hm.',
  signature: 'c2lnbmVk',
  ...more,
});
export const search = (id: string): Json => ({
  type: 'server_tool_use',
  id,
  name: 'web_search',
  input: { query: 'q' },
});
export const found = (id: string, encrypted = 'blob'): Json => ({
  type: 'web_search_tool_result',
  tool_use_id: id,
  content: [{ type: 'web_search_result', title: 't', url: 'https://example.com', encrypted_content: encrypted }],
});

export const tool = (name: string, more: Json = {}): Json => ({ name, input_schema: { type: 'object' }, ...more });
export const WEB_SEARCH = { type: 'web_search_20250305', name: 'web_search' };
export const marked = (ttl?: '5m' | '1h'): Json => ({
  cache_control: ttl ? { type: 'ephemeral', ttl } : { type: 'ephemeral' },
});

/** A PNG without pixels, of any size. */
export function png(width: number, height: number): string {
  const chunk = (type: string, data: Buffer): Buffer => {
    const [named, around] = [Buffer.concat([Buffer.from(type), data]), Buffer.alloc(8)];
    around.writeUInt32BE(data.length, 0);
    around.writeUInt32BE(crc32({ length: named.length, at: (index) => named[index] ?? 0 }, 0, named.length), 4);
    return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const none = Buffer.alloc(0);
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', header), chunk('IDAT', none), chunk('IEND', none)]).toString('base64');
}

export const image = (data: string, mediaType = 'image/png'): Json => ({
  type: 'image',
  source: { type: 'base64', media_type: mediaType, data },
});

export const pdf = (content: string, more: Json = {}): Json => ({
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from(content, 'latin1').toString('base64') },
  ...more,
});

/** A prompt, an assistant message with calls, and a user message. */
export const answered = (calls: readonly unknown[], ...answer: readonly unknown[]): readonly unknown[] => [
  user(text('q')),
  assistant(...calls),
  user(...answer),
];
