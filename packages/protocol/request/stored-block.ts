import { type Base64Of, inlineSource, sourcesInBlock } from '../message/block-sources.js';
import type { ContentBlock } from '../message/content.js';
import { contentBlocksOf } from '../message/message-content.js';
import type { Message } from '../message/message.js';
import { blockText, noteStoredTexts } from '../message/written-input.js';

/**
 * A stored block as JSON, its files as base64, without the members that are not sent; null when there is no such block. Requests of the past refer to blocks and are rebuilt with this function, so what it gives for a block must never
 * change: stored-block.spec.ts holds it to that. Throws MissingBlob.
 */
export function storedBlockText(message: Message, index: number, without: readonly string[], base64Of: Base64Of): string | null {
  const block = contentBlocksOf(message)[index];
  if (block === undefined) return null;
  noteStoredTexts(message);
  return blockText(
    withoutMembers(
      sourcesInBlock(block, (source) => inlineSource(source, base64Of)),
      without,
    ),
  );
}

/** Hashes of the files in a stored block. */
export function filesOfBlock(message: Message, index: number): readonly string[] {
  const block = contentBlocksOf(message)[index];
  const found: string[] = [];
  if (block !== undefined) sourcesInBlock(block, (source) => (found.push(source.sha256), source));
  return found;
}

function withoutMembers(block: ContentBlock, names: readonly string[]): ContentBlock {
  if (names.length === 0) return block;
  return Object.fromEntries(Object.entries(block).filter(([name]) => !names.includes(name))) as unknown as ContentBlock;
}
