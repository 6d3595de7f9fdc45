import { fittingSize, patchesOf } from './image-size.js';
import type { Resolution } from '../models/profile-terms.js';

/** Of a page with some text and some drawing (docs: PDF support). */
const TOKENS_A_PAGE = 2_000;

/** Roughly what an image or a document counts as: what is seen of it, whatever its bytes. */
export function fileTokens(
  { width, height, pages = 1 }: { readonly width?: number; readonly height?: number; readonly pages?: number },
  resolution: Resolution,
): number {
  return width === undefined || height === undefined ? TOKENS_A_PAGE * pages : patchesOf(fittingSize({ width, height }, resolution));
}
