import { mapped } from '../mapped.js';
import { type BlobSource, type Content, type ContentBlock, isBlobSource, type MediaSource } from './content.js';

/** The bytes of a blob as base64 text; undefined when the blob is missing. */
export type Base64Of = (sha256: string) => string | undefined;

/** A message refers to a blob that is missing. The request cannot be rebuilt, and nothing else may be sent in its place. */
export class MissingBlob extends Error {
  override readonly name = 'MissingBlob';

  constructor(readonly sha256: string) {
    super(`A message of the session refers to the blob ${sha256}, which is missing from the blob store.`);
  }
}

export type SourceChange = (source: BlobSource) => unknown;

/** Replaces the references to stored bytes in content; those in results of calls, too. Returns the same value when nothing changes. */
export const sourcesInContent = <C extends Content>(content: C, change: SourceChange): C =>
  Array.isArray(content) ? (mapped(content as readonly ContentBlock[], sourcesInBlock, change) as C) : content;

/** The same in one block. */
export function sourcesInBlock(block: ContentBlock, change: SourceChange): ContentBlock {
  if (block?.type === 'image' || block?.type === 'document') {
    const { source } = block;
    const changed = isBlobSource(source) ? change(source) : source;
    return changed === source ? block : ({ ...block, source: changed } as ContentBlock);
  }
  if (block?.type !== 'tool_result' || !Array.isArray(block.content)) return block;
  const content = sourcesInContent(block.content, change);
  return content === block.content ? block : { ...block, content };
}

/** The bytes as the model API takes them. Throws MissingBlob. */
export function inlineSource({ media_type, sha256 }: BlobSource, base64Of: Base64Of): MediaSource {
  const data = base64Of(sha256);
  if (data === undefined) throw new MissingBlob(sha256);
  return { type: 'base64', media_type, data };
}
