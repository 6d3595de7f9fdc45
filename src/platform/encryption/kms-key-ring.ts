import { KeyRing, type WrappedKey } from '../../ports/index.js';
import { keyUnavailable } from './key-unavailable.js';

/** Marks ids of keys in KMS, so that they differ from names of other keys. */
const PREFIX = 'kms:';

/** What this file uses of the SDK, which is an optional package. */
interface KmsClient {
  send(
    command: object,
    options: { readonly abortSignal: AbortSignal },
  ): Promise<{ readonly KeyId?: string; readonly CiphertextBlob?: Uint8Array; readonly Plaintext?: Uint8Array }>;
  destroy(): void;
}

/** A key in AWS KMS: it wraps and unwraps, and never leaves it. Region, credentials and endpoint come from the environment, as the SDK documents them. */
export class KmsKeyRing extends KeyRing {
  private constructor(
    private readonly client: KmsClient,
    private readonly commands: { readonly encrypt: (input: object) => object; readonly decrypt: (input: object) => object },
    private readonly options: { readonly keyId: string; readonly timeoutMs: number },
  ) {
    super();
  }

  /** `keyId`: id, alias or ARN of the key with which new keys are wrapped. */
  static async open(options: { readonly keyId: string; readonly timeoutMs: number }): Promise<KmsKeyRing> {
    const sdk = await import('@aws-sdk/client-kms').catch((error: unknown) => {
      throw new Error('ENCRYPTION_KMS_KEY_ID needs the package @aws-sdk/client-kms, which is not installed: npm install @aws-sdk/client-kms', { cause: error });
    });
    const commands = {
      encrypt: (input: object) => new sdk.EncryptCommand(input as never),
      decrypt: (input: object) => new sdk.DecryptCommand(input as never),
    };
    return new KmsKeyRing(new sdk.KMSClient({}) as never, commands, options);
  }

  override has(keyId: string): boolean {
    return keyId.startsWith(PREFIX);
  }

  override async wrap(key: Uint8Array, owner: string): Promise<WrappedKey> {
    const { keyId } = this.options;
    const answer = await this.#send(PREFIX + keyId, this.commands.encrypt({ KeyId: keyId, Plaintext: key, EncryptionContext: contextOf(owner) }));
    if (!answer.CiphertextBlob || !answer.KeyId) throw keyUnavailable(PREFIX + keyId, 'gave no answer in KMS');
    return { keyId: PREFIX + answer.KeyId, wrapped: answer.CiphertextBlob };
  }

  override async unwrap({ keyId, wrapped }: WrappedKey, owner: string): Promise<Uint8Array> {
    const input = { KeyId: keyId.slice(PREFIX.length), CiphertextBlob: wrapped, EncryptionContext: contextOf(owner) };
    const { Plaintext } = await this.#send(keyId, this.commands.decrypt(input));
    if (!Plaintext) throw keyUnavailable(keyId, 'gave no answer in KMS');
    return Plaintext;
  }

  async #send(keyId: string, command: object): Promise<Awaited<ReturnType<KmsClient['send']>>> {
    try {
      return await this.client.send(command, { abortSignal: AbortSignal.timeout(this.options.timeoutMs) });
    } catch (error) {
      const name = error instanceof Error ? error.name : 'no answer';
      throw keyUnavailable(keyId, `could not be used in KMS (${name})`, error);
    }
  }
}

const contextOf = (owner: string): Record<string, string> => ({ verbatim: owner });
