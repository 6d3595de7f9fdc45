import type { ContentBlock, DocumentBlock, ImageBlock } from '../../protocol/message/content.js';
import type { Profile } from '../models/profiles.js';

export type Media = ImageBlock | DocumentBlock;

export const isMedia = (block: ContentBlock): block is Media => block.type === 'image' || block.type === 'document';

/** Bytes of a request body available to images and documents. The rest is reserved for a full context window of text at four bytes per token. */
export const mediaBytes = ({ maxBodyBytes, contextWindow }: Profile): number => maxBodyBytes - 4 * contextWindow;
