import type { BlobSource } from '../message/content.js';
import type { Base64Bytes } from './base64.js';
import { imageHeader } from './image-header.js';
import { readPdf } from './pdf.js';

/** What images and documents in prompts are held to, whatever the model takes. */
export interface FileLimits {
  readonly maxImageBytes: number;
  /** Width times height. */
  readonly maxImagePixels: number;
  readonly maxImages: number;
  readonly maxDocumentBytes: number;
  readonly maxDocumentPages: number;
  readonly maxDocuments: number;
}

/** What a file says of itself in its first bytes. */
export type FileHead = Pick<BlobSource, 'media_type' | 'width' | 'height' | 'pages'>;

/**
 * A look that costs the same whatever the size: the type as the bytes have it, not the label, and the size. Answers with what is wrong, as it goes on after
 * "it", when it is nothing that could be sent. Whether the rest can be decoded is not known then.
 */
export function lookAtFile(kind: 'image' | 'document', bytes: Base64Bytes, limits: FileLimits): FileHead | string {
  if (bytes.length === 0) return 'is empty';
  return kind === 'image' ? lookAtImage(bytes, limits) : lookAtDocument(bytes, limits);
}

function lookAtImage(bytes: Base64Bytes, { maxImageBytes, maxImagePixels }: FileLimits): FileHead | string {
  if (bytes.length > maxImageBytes) return `has ${bytes.length} bytes; the limit is ${maxImageBytes}`;
  const header = imageHeader(bytes);
  if (!header) return 'is no JPEG, PNG, GIF or WebP, whatever its label says';
  const { mediaType, width, height } = header;
  if (width * height > maxImagePixels) return `has ${width}x${height} pixels; the limit is ${maxImagePixels} in all`;
  return { media_type: mediaType, width, height };
}

function lookAtDocument(bytes: Base64Bytes, { maxDocumentBytes, maxDocumentPages }: FileLimits): FileHead | string {
  if (bytes.length > maxDocumentBytes) return `has ${bytes.length} bytes; the limit is ${maxDocumentBytes}`;
  const pdf = readPdf(bytes);
  if (!pdf) return 'is no PDF, whatever its label says';
  if (pdf.isEncrypted) return 'is protected by a password';
  const { pages } = pdf;
  if (pages === undefined) return { media_type: 'application/pdf' };
  if (pages === 0) return 'has no pages';
  return pages > maxDocumentPages ? `has ${pages} pages; the limit is ${maxDocumentPages}` : { media_type: 'application/pdf', pages };
}
