import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { fileLimits, type FileSettings } from '../../platform/config/limits.js';
import { imageHeader } from '../../../packages/normalizer/media/image-header.js';
import { type InlineBytes, mapInlineBytes } from '../../../packages/normalizer/media/out-of-line.js';
import type { BlobSource, Json } from '../../../packages/protocol/message/content.js';
import { profileFor } from '../../../packages/normalizer/models/profiles.js';
import { Blobs, type FittedImage, Images, UnusableImage } from '../../ports/index.js';
import { type FileBlock, type FileMetadata, inspectFile, type PromptFile, roomFor } from '../../session/prompt/files/index.js';
import { asBytes, decodeBase64 } from '../commands/decode-base64.js';
import { fitImage, type OfSession } from './fit-image.js';

/** An image or a document with inline bytes that passed a first look, or why it cannot be sent. */
export type Inspected = { readonly block: FileBlock; readonly content: Uint8Array; readonly head: FileMetadata } | Unusable;

export interface Unusable {
  readonly block: FileBlock;
  /** Completes a sentence that begins with the file's name. */
  readonly fault: string;
}

/** A file that is stored. `image`: of an image, the sizes. */
export interface StoredFile {
  readonly block: FileBlock;
  readonly image: FittedImage | null;
}

/**
 * Takes in bytes that are no part of a prompt: those of tool results, imports and attachments. As with prompts, they are stored as blobs, images are decoded and scaled to what the
 * model takes, and events refer to them. Here the message itself names the image as it came, since there is no submission that does.
 */
@Injectable()
export class MediaIntake {
  constructor(
    private readonly blobs: Blobs,
    private readonly images: Images,
    @Inject(SETTINGS) private readonly settings: FileSettings & Pick<Settings, 'MODEL_PROVIDER'>,
  ) {}

  /** A first look at those of the blocks that have inline bytes. */
  async inspect(blocks: readonly FileBlock[]): Promise<readonly Inspected[]> {
    const inspected: Inspected[] = [];
    for (const block of blocks) {
      if (block.source?.type !== 'base64') continue;
      await nextTick();
      const content = decodeBase64(String(block.source.data));
      const head = content ? inspectFile(block.type, asBytes(content), fileLimits(this.settings)) : 'is not base64';
      inspected.push(content && typeof head !== 'string' ? { block, content, head } : { block, fault: String(head) });
    }
    return inspected;
  }

  /** Stores the files of one message or result, and fits its images to the model. */
  async store(of: OfSession, inspected: readonly Inspected[], model: string, signal: AbortSignal): Promise<ReadonlyMap<FileBlock, StoredFile | Unusable>> {
    const outcomes = new Map<FileBlock, StoredFile | Unusable>();
    const kept: { readonly given: FileBlock; readonly file: PromptFile }[] = [];
    for (const one of inspected) {
      if ('fault' in one) outcomes.set(one.block, one);
      else kept.push({ given: one.block, file: { block: { ...one.block, source: await this.#put(of, one) }, name: '', paste: null } });
    }
    const files = kept.map(({ file }) => file);
    const { box, unfit } = roomFor(files, profileFor(model, this.settings.MODEL_PROVIDER));
    const fit = async (given: FileBlock, file: PromptFile): Promise<StoredFile | Unusable> => {
      const refused = unfit.find((one) => one.file === file);
      if (refused) return { block: given, fault: refused.reason };
      if (file.block.type === 'document') return { block: file.block, image: null };
      const original = file.block.source as BlobSource;
      const { source, image } = await fitImage(this.images, of, original, box, signal);
      return { block: { ...file.block, source: source.sha256 === original.sha256 ? source : { ...source, original } }, image };
    };
    await Promise.all(
      kept.map(async ({ given, file }) => {
        const outcome = await fit(given, file).catch((error: unknown): Unusable => {
          if (!(error instanceof UnusableImage)) throw error;
          return { block: given, fault: error.reason };
        });
        outcomes.set(given, outcome);
      }),
    );
    return outcomes;
  }

  /** The value with references in place of the bytes in it, which are stored as they are. Text that is not base64 stays. */
  async outOfLine(of: OfSession, value: Json): Promise<Json> {
    const found = new Map<string, InlineBytes>();
    mapInlineBytes(value, (bytes) => {
      found.set(bytes.base64, bytes);
      return null;
    });
    const stored = new Map<string, BlobSource | null>();
    for (const [base64, { mediaType }] of found) stored.set(base64, await this.keep(of, mediaType, base64));
    return found.size === 0 ? value : mapInlineBytes(value, ({ base64 }) => stored.get(base64) ?? null);
  }

  /** Stores bytes of any kind under the type that they are said to have; null: the text is not base64. */
  async keep(of: OfSession, mediaType: string, base64: string): Promise<BlobSource | null> {
    await nextTick();
    const content = decodeBase64(base64);
    if (content === null || content.length === 0) return null;
    const header = imageHeader(asBytes(content));
    const { sha256, bytes } = await this.blobs.put(of.tenantId, of.sessionId, header?.mediaType ?? 'application/octet-stream', content);
    return { type: 'blob', media_type: mediaType, sha256, bytes };
  }

  async #put({ tenantId, sessionId }: OfSession, { head, content }: Exclude<Inspected, Unusable>): Promise<BlobSource> {
    const { sha256, bytes } = await this.blobs.put(tenantId, sessionId, head.media_type, content);
    return { type: 'blob', sha256, bytes, ...head };
  }
}

/** Decoding one large file takes milliseconds; other requests run between two files. */
const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
