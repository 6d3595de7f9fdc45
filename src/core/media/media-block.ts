import type { ContentBlock, DocumentBlock, ImageBlock } from '../message/content.js';
import type { Profile } from '../models/profiles.js';

export type Media = ImageBlock | DocumentBlock;

export const isMedia = (block: ContentBlock): block is Media => block.type === 'image' || block.type === 'document';

/** What images and documents of one request may take in it. What a whole context window of words takes, at four bytes a token, is left for the words. */
export const mediaBytes = ({ maxBodyBytes, contextWindow }: Profile): number => maxBodyBytes - 4 * contextWindow;
