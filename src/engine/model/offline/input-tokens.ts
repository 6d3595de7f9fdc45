import { base64Bytes } from '../../../../packages/normalizer/media/base64.js';
import { imageHeader } from '../../../../packages/normalizer/media/image-header.js';
import { readPdf } from '../../../../packages/normalizer/media/pdf.js';
import { fileTokens } from '../../../../packages/normalizer/media/file-tokens.js';
import { loose } from '../../../../packages/protocol/message/unknown-json.js';
import type { Profile } from '../../../../packages/normalizer/models/profiles.js';
import { tokensOf } from './script.js';

/** Estimated input tokens: text by length, files by pixels and pages. Accepts any body, because it runs before validation. */
export function inputTokens(payload: unknown, bodyLength: number, { resolution }: Pick<Profile, 'resolution'>): number {
  let characters = bodyLength;
  let tokens = 0;
  const visit = (block: unknown): void => {
    const { type, content, source } = loose(block);
    const { type: kind, data } = loose(source);
    if (type === 'tool_result') for (const inner of listed(content)) visit(inner);
    if ((type !== 'image' && type !== 'document') || kind !== 'base64' || typeof data !== 'string') return;
    const bytes = base64Bytes(data);
    const pages = type === 'document' && bytes ? readPdf(bytes)?.pages : undefined;
    characters -= data.length;
    tokens += fileTokens({ ...(pages === undefined ? {} : { pages }), ...(type === 'image' && bytes ? imageHeader(bytes) : {}) }, resolution);
  };
  for (const message of listed(loose(payload)['messages'])) for (const block of listed(loose(message)['content'])) visit(block);
  return tokens + tokensOf(characters);
}

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
