import { blocksOf, type ContentBlock } from '../../../core/message/content.js';
import { base64Bytes } from '../../../core/strict/base64.js';
import { imageHeader } from '../../../core/strict/image-header.js';
import { readPdf } from '../../../core/strict/pdf.js';
import { fittingSize, patchesOf } from '../../../core/view/image-size.js';
import type { Payload } from '../../../core/view/payload.js';
import { profileFor } from '../../../core/view/profiles.js';
import { tokensOf } from './script.js';

/** Of a page with some text and some drawing (docs: PDF support). */
const TOKENS_A_PAGE = 2_000;

/** Roughly what the API would count: text by its length, a picture by what is seen of it, whatever its bytes. */
export function inputTokens(payload: Payload, bodyLength: number): number {
  let characters = bodyLength;
  let tokens = 0;
  const { resolution } = profileFor(payload.model);
  const visit = (block: ContentBlock): void => {
    if (block.type === 'tool_result') for (const inner of blocksOf(block.content)) visit(inner);
    if ((block.type !== 'image' && block.type !== 'document') || block.source.type !== 'base64') return;
    const { data } = block.source;
    const bytes = base64Bytes(data);
    const header = block.type === 'image' && bytes ? imageHeader(bytes) : undefined;
    characters -= data.length;
    tokens += header ? patchesOf(fittingSize(header, resolution)) : TOKENS_A_PAGE * ((bytes && readPdf(bytes)?.pages) ?? 1);
  };
  for (const { content } of payload.messages) for (const block of blocksOf(content)) visit(block);
  return tokens + tokensOf(characters);
}
