import { openBlobs, openStorage } from './platform/blobs/open-blobs.js';
import { serveComputeTasks, type Worker } from './platform/compute-pool/serve.js';
import { openEncryption } from './platform/encryption/open-encryption.js';
import { fitImage } from './engine/images/decode.js';
import type { ImageAnswer } from './engine/images/image-process-pool.js';
import type { Settings } from './platform/config/env.js';
import type { DatabaseAddress } from './platform/postgres/connection/client-options.js';
import { type FittedImage, type StoredImage, UnusableImage } from './ports/index.js';
import type { ImageBox } from '../packages/normalizer/media/image-size.js';

/** Setup message from the process that starts this one. */
export interface ImageSetup {
  readonly settings: Settings;
  readonly databaseAt: DatabaseAddress;
}

/** Program of an image process: reads an image from the database, resizes it, and stores the result; other processes never hold the bytes. */
async function open(setup: unknown): Promise<Worker> {
  const { settings, databaseAt } = setup as ImageSetup;
  const { DATABASE_TIMEOUT_MS: timeoutMs, ROLE } = settings;
  const connection = { ...databaseAt, timeoutMs, applicationName: `verbatim ${ROLE} images` };
  const blobs = openBlobs(settings, await openStorage(settings), connection, await openEncryption(settings));
  const limits = { maxPixels: settings.MAX_IMAGE_PIXELS, timeoutMs: settings.IMAGE_TIMEOUT_MS };

  const fit = async ({ tenantId, sessionId, sha256 }: StoredImage, box: ImageBox): Promise<FittedImage> => {
    const stored = (await blobs.get(tenantId, sessionId, [sha256])).get(sha256);
    if (!stored) throw new UnusableImage('is no longer stored');
    const { content, mediaType, ...sizes } = await fitImage(stored.content, box, limits);
    const { sha256: name, bytes } = content === null ? stored : await blobs.put(tenantId, sessionId, mediaType, content);
    return { sha256: name, mediaType, bytes, ...sizes };
  };

  return async (task): Promise<ImageAnswer> => {
    if (task.kind !== 'fit') throw new Error('this program only decodes images');
    try {
      return { fitted: await fit(task.image, task.box) };
    } catch (error) {
      if (error instanceof UnusableImage) return { unusable: error.reason };
      throw error;
    }
  };
}

serveComputeTasks(open);
