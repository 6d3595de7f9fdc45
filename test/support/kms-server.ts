import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A small server that speaks Encrypt and Decrypt of the JSON protocol of AWS KMS, with symmetric keys in memory. It checks that requests are signed, but not the signature. */
export class KmsServer {
  /** By ARN. A disabled key is null. */
  readonly keys = new Map<string, Buffer | null>();
  readonly calls: string[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<KmsServer> {
    const server = createServer();
    const kms = new KmsServer(server);
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        const [, action = ''] = /^TrentService\.(\w+)$/.exec(String(request.headers['x-amz-target'])) ?? [];
        const isSigned = request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=') === true;
        kms.calls.push(action);
        const [status, answer] = isSigned ? kms.#answer(action, JSON.parse(body) as Input) : [403, { __type: 'AccessDeniedException' }];
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return kms;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  add(): string {
    const arn = `arn:aws:kms:eu-central-1:111122223333:key/${randomBytes(8).toString('hex')}`;
    this.keys.set(arn, randomBytes(32));
    return arn;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  #answer(action: string, { KeyId, Plaintext, CiphertextBlob, EncryptionContext }: Input): readonly [number, object] {
    const key = this.keys.get(KeyId);
    if (key === undefined) return [400, { __type: 'NotFoundException' }];
    if (key === null) return [400, { __type: 'DisabledException' }];
    const context = Buffer.from(JSON.stringify(EncryptionContext));
    if (action === 'Encrypt') {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context);
      const encrypted = Buffer.concat([cipher.update(Plaintext!, 'base64'), cipher.final()]);
      return [200, { KeyId, CiphertextBlob: Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64') }];
    }
    try {
      const blob = Buffer.from(CiphertextBlob!, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12)).setAAD(context).setAuthTag(blob.subarray(12, 28));
      return [200, { KeyId, Plaintext: Buffer.concat([decipher.update(blob.subarray(28)), decipher.final()]).toString('base64') }];
    } catch {
      return [400, { __type: 'InvalidCiphertextException' }];
    }
  }
}

interface Input {
  readonly KeyId: string;
  /** Base64, as the next one. */
  readonly Plaintext?: string;
  readonly CiphertextBlob?: string;
  readonly EncryptionContext: object;
}
