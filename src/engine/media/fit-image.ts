import type { BlobSource } from '../../../packages/protocol/message/content.js';
import type { ImageBox } from '../../../packages/normalizer/media/image-size.js';
import type { FittedImage, Images } from '../../ports/index.js';

export interface OfSession {
  readonly tenantId: string;
  readonly sessionId: string;
}

/** The reference to the image as the model is sent it. Rejects with UnusableImage. */
export async function fitImage(
  images: Images,
  { tenantId, sessionId }: OfSession,
  { sha256: name }: BlobSource,
  box: ImageBox,
  signal: AbortSignal,
): Promise<{ readonly source: BlobSource; readonly image: FittedImage }> {
  const image = await images.fit({ tenantId, sessionId, sha256: name }, box, signal);
  const { sha256, mediaType, bytes, width, height } = image;
  return { source: { type: 'blob', media_type: mediaType, sha256, bytes, width, height }, image };
}
