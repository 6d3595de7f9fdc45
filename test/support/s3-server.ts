import { S3Client } from '@aws-sdk/client-s3';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from 's3rver';

/** What the AWS SDK of this process, and of those that it starts, signs requests with. Any program with S3 in it accepts these from s3rver. */
export const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_EC2_METADATA_DISABLED: 'true' };

export const BUCKET = 'files';

/** `BLOB_STORE` for a server at this address. */
export const storeAt = (url: string, prefix = ''): string => `s3://${BUCKET}${prefix}?endpoint=${encodeURIComponent(url)}&path_style=true`;

/** A server of S3 with one bucket in a folder of its own. It has no versions and checks no digests. */
export class S3Server {
  readonly client: S3Client;

  private constructor(
    private readonly server: S3rver,
    private readonly directory: string,
    readonly url: string,
  ) {
    Object.assign(process.env, CREDENTIALS);
    this.client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });
  }

  static async start(): Promise<S3Server> {
    const directory = await mkdtemp(path.join(tmpdir(), 'verbatim-s3-'));
    const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: BUCKET }] });
    const { port } = await server.run();
    return new S3Server(server, directory, `http://127.0.0.1:${port}`);
  }

  async stop(): Promise<void> {
    this.client.destroy();
    await this.server.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}
