import { fittingSize, patchesOf } from './image-size.js';
import type { Resolution } from '../models/profile-terms.js';

/** Tokens of a PDF page with text and graphics (docs: PDF support). */
const TOKENS_PER_PAGE = 2_000;

/** Estimated input tokens of an image or a document. Depends on pixels or pages, not on bytes. */
export function fileTokens(
  { width, height, pages = 1 }: { readonly width?: number; readonly height?: number; readonly pages?: number },
  resolution: Resolution,
): number {
  return width === undefined || height === undefined ? TOKENS_PER_PAGE * pages : patchesOf(fittingSize({ width, height }, resolution));
}
