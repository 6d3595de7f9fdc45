import { PostgresBlobs } from './adapters/blobs/postgres-blobs.js';
import { serveComputeTasks, type Worker } from './adapters/compute-pool/serve.js';
import { fitImage } from './adapters/images/decode.js';
import type { ImageAnswer } from './adapters/images/image-process-pool.js';
import type { Settings } from './config/env.js';
import { type FittedImage, type StoredImage, UnusableImage } from './core/ports.js';
import type { ImageBox } from './core/media/image-size.js';

/** What a process for images is told by the one that starts it. */
export interface ImageSetup {
  readonly settings: Settings;
  readonly databaseUrl: string;
}

/** The program of a process for images: one at a time, from the database and back into it, so that nobody else has their bytes in hand. */
async function open(setup: unknown): Promise<Worker> {
  const { settings, databaseUrl } = setup as ImageSetup;
  const { DATABASE_TIMEOUT_MS: timeoutMs, ROLE } = settings;
  const blobs = new PostgresBlobs({ url: databaseUrl, timeoutMs, applicationName: `verbatim ${ROLE} images` });
  const limits = { maxPixels: settings.MAX_IMAGE_PIXELS, timeoutMs: settings.IMAGE_TIMEOUT_MS };

  const fit = async ({ tenantId, sessionId, sha256 }: StoredImage, box: ImageBox): Promise<FittedImage> => {
    const kept = (await blobs.get(tenantId, sessionId, [sha256])).get(sha256);
    if (!kept) throw new UnusableImage('is not stored any more');
    const { content, mediaType, ...sizes } = await fitImage(kept.content, box, limits);
    const { sha256: name, bytes } = content === null ? kept : await blobs.put(tenantId, sessionId, mediaType, content);
    return { sha256: name, mediaType, bytes, ...sizes };
  };

  return async (task): Promise<ImageAnswer> => {
    if (task.kind !== 'fit') throw new Error('this program decodes images only');
    try {
      return { fitted: await fit(task.image, task.box) };
    } catch (error) {
      if (error instanceof UnusableImage) return { unusable: error.reason };
      throw error;
    }
  };
}

serveComputeTasks(open);
