import { createCipheriv, createDecipheriv, createHmac, webcrypto } from 'node:crypto';
import { type DataKey, ENCRYPTION_BYTES } from '../../ports/index.js';
import { freshBytes } from './fresh-bytes.js';

/** AES-256-GCM. An encrypted text is the nonce (12 bytes), the ciphertext, and the tag (16 bytes). */

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SALT_BYTES = 16;

export const KEY_BYTES = 32;

export function encryptWith(key: Uint8Array, content: Uint8Array, context: string): Buffer {
  const nonce = freshBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** Null: altered, or encrypted with another key or context. */
export function openWith(key: Uint8Array, encrypted: Uint8Array, context: string): Buffer | null {
  if (encrypted.length < ENCRYPTION_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, encrypted.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(encrypted.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}

export class AesDataKey implements DataKey {
  readonly #key: Uint8Array;
  #large: Promise<webcrypto.CryptoKey> | null = null;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  encrypt(content: Uint8Array, context: string): Uint8Array {
    return encryptWith(this.#key, content, context);
  }

  open(encrypted: Uint8Array, context: string): Uint8Array | null {
    return openWith(this.#key, encrypted, context);
  }

  /** Web Crypto does its work in its own thread. */
  async encryptLarge(content: Uint8Array, context: string): Promise<Uint8Array> {
    const iv = freshBytes(NONCE_BYTES);
    const encrypted = await webcrypto.subtle.encrypt(this.#terms(iv, context), await this.#imported(), content as Uint8Array<ArrayBuffer>);
    return Buffer.concat([iv, new Uint8Array(encrypted)]);
  }

  async openLarge(encrypted: Uint8Array, context: string): Promise<Uint8Array | null> {
    if (encrypted.length < ENCRYPTION_BYTES) return null;
    const [iv, rest] = [encrypted.subarray(0, NONCE_BYTES), encrypted.subarray(NONCE_BYTES) as Uint8Array<ArrayBuffer>];
    const opened = await webcrypto.subtle.decrypt(this.#terms(iv, context), await this.#imported(), rest).catch(() => null);
    return opened && new Uint8Array(opened);
  }

  newSalt(): Uint8Array {
    return freshBytes(SALT_BYTES);
  }

  saltFrom(stored: Uint8Array): Uint8Array {
    return createHmac('sha256', this.#key).update('salt').update(stored).digest().subarray(0, SALT_BYTES);
  }

  #terms(iv: Uint8Array, context: string): webcrypto.AesGcmParams {
    return { name: 'AES-GCM', iv: iv as Uint8Array<ArrayBuffer>, additionalData: Buffer.from(context), tagLength: TAG_BYTES * 8 };
  }

  #imported(): Promise<webcrypto.CryptoKey> {
    return (this.#large ??= webcrypto.subtle.importKey('raw', this.#key as Uint8Array<ArrayBuffer>, 'AES-GCM', false, ['encrypt', 'decrypt']));
  }
}
