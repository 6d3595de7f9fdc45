import type { S3Client } from '@aws-sdk/client-s3';
import type { BlobStoreAddress } from '../config/blob-store-url.js';
import { ObjectStorage, type StorageFault, StorageError, type StorageOperation } from './object-storage.js';
import { faultOf, isMissing, isWithoutVersions } from './s3-errors.js';

type Sdk = typeof import('@aws-sdk/client-s3');

export interface S3Options {
  readonly address: BlobStoreAddress;
  /** Of a whole operation, repetitions included. */
  readonly timeoutMs: number;
}

/** Called after each operation; `outcome` is `completed`, or what was wrong. */
export type OnOperation = (operation: StorageOperation, outcome: 'completed' | StorageFault) => void;

/** Each request is tried that often within its time. */
const ATTEMPTS = 3;

/** Any storage that speaks S3. Credentials come from the environment, as the AWS SDK documents them. */
export class S3Storage extends ObjectStorage {
  #onOperation: OnOperation = () => undefined;

  private constructor(
    private readonly sdk: Sdk,
    private readonly client: S3Client,
    private readonly options: S3Options,
  ) {
    super();
  }

  static async open(options: S3Options): Promise<S3Storage> {
    const sdk = await import('@aws-sdk/client-s3').catch((error: unknown) => {
      throw new Error('BLOB_STORE needs the package @aws-sdk/client-s3, which is not installed: npm install @aws-sdk/client-s3', { cause: error });
    });
    const { region, endpoint, pathStyle } = options.address;
    const client = new sdk.S3Client({
      ...(region === null ? {} : { region }),
      ...(endpoint === null ? {} : { endpoint }),
      forcePathStyle: pathStyle,
      maxAttempts: ATTEMPTS,
      requestHandler: { connectionTimeout: Math.ceil(options.timeoutMs / ATTEMPTS) },
      // Checksums that the SDK adds by itself are not known to every storage; the digest of `put` is.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    await client.config.region().catch((error: unknown) => {
      throw new Error('BLOB_STORE names no region, and the environment has none: s3://bucket?region=…', { cause: error });
    });
    return new S3Storage(sdk, client, options);
  }

  onOperation(listener: OnOperation): void {
    this.#onOperation = listener;
  }

  override put(name: string, bytes: Uint8Array, digest: Uint8Array): Promise<void> {
    const command = new this.sdk.PutObjectCommand({ ...this.#place(name), Body: bytes, ContentLength: bytes.length, ContentType: 'application/octet-stream' });
    // The digest is part of the signature: a storage that checks signatures refuses other bytes. The SDK would compute it on this thread.
    command.middlewareStack.add(
      (next) => (args) => {
        (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = Buffer.from(digest).toString('hex');
        return next(args);
      },
      { step: 'build', name: 'digestOfBody' },
    );
    return this.#run('put', async (signal) => void (await this.client.send(command, { abortSignal: signal })));
  }

  override get(name: string, limit: number): Promise<Uint8Array | null> {
    return this.#run('get', async (signal) => {
      try {
        const { Body } = await this.client.send(new this.sdk.GetObjectCommand(this.#place(name)), { abortSignal: signal });
        return await readAtMost(Body as NodeJS.ReadableStream & AsyncIterable<Uint8Array> & { destroy(error?: Error): void }, limit + 1, signal);
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    });
  }

  override remove(name: string): Promise<void> {
    return this.#run('remove', async (signal) => {
      const place = this.#place(name);
      const versions = await this.#versions(place, signal);
      const removals = versions === null ? [place] : versions.map((version) => ({ ...place, ...(version === undefined ? {} : { VersionId: version }) }));
      for (const removal of removals) await this.client.send(new this.sdk.DeleteObjectCommand(removal), { abortSignal: signal });
    });
  }

  override check(): Promise<void> {
    return this.#run(
      'check',
      async (signal) => void (await this.client.send(new this.sdk.HeadBucketCommand({ Bucket: this.options.address.bucket }), { abortSignal: signal })),
    );
  }

  override close(): void {
    this.client.destroy();
  }

  /** Of the object, with the markers of earlier deletions. Null: the storage has no versions. A name is written once, so that one page has all of them. */
  async #versions(place: { readonly Bucket: string; readonly Key: string }, signal: AbortSignal): Promise<readonly (string | undefined)[] | null> {
    try {
      const command = new this.sdk.ListObjectVersionsCommand({ Bucket: place.Bucket, Prefix: place.Key });
      const { Versions = [], DeleteMarkers = [] } = await this.client.send(command, { abortSignal: signal });
      return [...Versions, ...DeleteMarkers].filter(({ Key }) => Key === place.Key).map(({ VersionId }) => VersionId);
    } catch (error) {
      if (isWithoutVersions(error)) return null;
      throw error;
    }
  }

  #place(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.options.address.bucket, Key: this.options.address.prefix + name };
  }

  async #run<T>(operation: StorageOperation, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(this.options.timeoutMs);
    try {
      const result = await work(signal);
      this.#onOperation(operation, 'completed');
      return result;
    } catch (error) {
      const fault = signal.aborted ? 'timeout' : faultOf(error);
      this.#onOperation(operation, fault);
      throw new StorageError(fault, error);
    }
  }
}

/** A storage that sends without end, or slowly, ends here. */
async function readAtMost(body: AsyncIterable<Uint8Array> & { destroy(error?: Error): void }, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  const stop = (): void => body.destroy(new Error('the object was not read in time'));
  signal.addEventListener('abort', stop);
  try {
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of body) {
      parts.push(part);
      length += part.length;
      if (length >= limit) break; // destroys the stream
    }
    return Buffer.concat(parts, Math.min(length, limit));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
