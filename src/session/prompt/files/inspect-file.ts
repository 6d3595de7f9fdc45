import type { BlobSource } from '../../../../packages/protocol/message/content.js';
import type { Base64Bytes } from '../../../../packages/normalizer/media/base64.js';
import { imageHeader } from '../../../../packages/normalizer/media/image-header.js';
import { usablePdf } from '../../../../packages/normalizer/media/usable-pdf.js';

/** Limits on images and documents in prompts, independent of the model. */
export interface FileLimits {
  readonly maxImageBytes: number;
  /** Width times height. */
  readonly maxImagePixels: number;
  readonly maxImages: number;
  readonly maxDocumentBytes: number;
  readonly maxDocumentPages: number;
  readonly maxDocuments: number;
}

/** Metadata read from a file's bytes. */
export type FileMetadata = Pick<BlobSource, 'media_type' | 'width' | 'height' | 'pages'>;

/**
 * Reads the media type (from the bytes, not the label) and the size in constant time. Returns a predicate such as "is empty" when the file cannot be sent.
 * Does not check whether the content can be decoded.
 */
export function inspectFile(kind: 'image' | 'document', bytes: Base64Bytes, limits: FileLimits): FileMetadata | string {
  if (bytes.length === 0) return 'is empty';
  return kind === 'image' ? inspectImage(bytes, limits) : inspectDocument(bytes, limits);
}

function inspectImage(bytes: Base64Bytes, { maxImageBytes, maxImagePixels }: FileLimits): FileMetadata | string {
  if (bytes.length > maxImageBytes) return `has ${bytes.length} bytes; the limit is ${maxImageBytes}`;
  const header = imageHeader(bytes);
  if (!header) return 'is not a JPEG, PNG, GIF or WebP image (detected from the bytes, not the label)';
  const { mediaType, width, height } = header;
  if (width * height > maxImagePixels) return `has ${width}x${height} pixels; the limit is ${maxImagePixels} in total`;
  return { media_type: mediaType, width, height };
}

function inspectDocument(bytes: Base64Bytes, { maxDocumentBytes, maxDocumentPages }: FileLimits): FileMetadata | string {
  if (bytes.length > maxDocumentBytes) return `has ${bytes.length} bytes; the limit is ${maxDocumentBytes}`;
  const pdf = usablePdf(bytes, maxDocumentPages);
  if ('fault' in pdf) return pdf.text;
  return { media_type: 'application/pdf', ...(pdf.pages === undefined ? {} : { pages: pdf.pages }) };
}
