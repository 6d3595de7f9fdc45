import { blocksOf, type ContentBlock } from '../../../core/message/content.js';
import { base64Bytes } from '../../../core/strict/base64.js';
import { imageHeader } from '../../../core/strict/image-header.js';
import { readPdf } from '../../../core/strict/pdf.js';
import { fileTokens } from '../../../core/view/file-tokens.js';
import type { Payload } from '../../../core/view/payload.js';
import { profileFor } from '../../../core/view/profiles.js';
import { tokensOf } from './script.js';

/** Roughly what the API would count: text by its length, files by what is seen of them. */
export function inputTokens(payload: Payload, bodyLength: number): number {
  let characters = bodyLength;
  let tokens = 0;
  const { resolution } = profileFor(payload.model);
  const visit = (block: ContentBlock): void => {
    if (block.type === 'tool_result') for (const inner of blocksOf(block.content)) visit(inner);
    if ((block.type !== 'image' && block.type !== 'document') || block.source.type !== 'base64') return;
    const { data } = block.source;
    const bytes = base64Bytes(data);
    const pages = block.type === 'document' && bytes ? readPdf(bytes)?.pages : undefined;
    characters -= data.length;
    tokens += fileTokens({ ...(pages === undefined ? {} : { pages }), ...(block.type === 'image' && bytes ? imageHeader(bytes) : {}) }, resolution);
  };
  for (const { content } of payload.messages) for (const block of blocksOf(content)) visit(block);
  return tokens + tokensOf(characters);
}
