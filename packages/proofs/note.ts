import { fromBase64, toBase64 } from './base64.js';
import { toHex } from './hex.js';
import { concat, equal, type Sha256 } from './tree.js';

/** Signed notes (C2SP signed-note) with Ed25519 keys, as the Go package golang.org/x/mod/sumdb/note reads and writes them. */

const ED25519 = 1;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const PRIVATE = 'PRIVATE+KEY+';

/** A key with the name of the signer. */
export interface NoteKey {
  readonly name: string;
  /** 32 bytes: the public key, or the seed of a private key. */
  readonly key: Uint8Array;
}

/** A name of a key: visible, without spaces and plus signs. */
export function isKeyName(name: string): boolean {
  return name !== '' && name.isWellFormed() && !/[\s+\p{Cc}]/u.test(name);
}

/** The first four bytes of a hash over name and key, by which a signature names its key. */
export function keyId(sha256: Sha256, { name, key }: NoteKey): Uint8Array {
  return sha256(concat([new TextEncoder().encode(`${name}\n`), Uint8Array.of(ED25519), key])).subarray(0, 4);
}

/** `name+id+key`: the text by which others get to know a public key. */
export function verifierKey(sha256: Sha256, publicKey: NoteKey): string {
  return `${publicKey.name}+${toHex(keyId(sha256, publicKey))}+${toBase64(concat([Uint8Array.of(ED25519), publicKey.key]))}`;
}

/** Null when the text is not the verifier key of an Ed25519 key. */
export function readVerifierKey(sha256: Sha256, text: string): NoteKey | null {
  const found = readKey(text);
  return found && verifierKey(sha256, found) === text ? found : null;
}

/** `PRIVATE+KEY+name+id+seed`; the id is that of the public key. */
export function signerKey(sha256: Sha256, seed: NoteKey, publicKey: Uint8Array): string {
  return `${PRIVATE}${seed.name}+${toHex(keyId(sha256, { name: seed.name, key: publicKey }))}+${toBase64(concat([Uint8Array.of(ED25519), seed.key]))}`;
}

/** The name and seed of a private key; null when the text is not one. */
export function readSignerKey(text: string): NoteKey | null {
  return text.startsWith(PRIVATE) ? readKey(text.slice(PRIVATE.length)) : null;
}

function readKey(text: string): NoteKey | null {
  const [, name = '', encoded = ''] = /^([^+]+)\+[0-9a-f]{8}\+(.+)$/s.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  if (!isKeyName(name) || bytes?.length !== KEY_BYTES + 1 || bytes[0] !== ED25519) return null;
  return { name, key: bytes.slice(1) };
}

/** The note with one signature. `text` ends with a newline. */
export function signedNote(sha256: Sha256, text: string, publicKey: NoteKey, sign: (text: Uint8Array) => Uint8Array): string {
  return `${text}\n${signatureLine(sha256, text, publicKey, sign)}`;
}

function signatureLine(sha256: Sha256, text: string, publicKey: NoteKey, sign: (text: Uint8Array) => Uint8Array): string {
  return `— ${publicKey.name} ${toBase64(concat([keyId(sha256, publicKey), sign(new TextEncoder().encode(text))]))}\n`;
}

export type VerifySignature = (publicKey: Uint8Array, text: Uint8Array, signature: Uint8Array) => boolean;

/** A text, and the signature of it that names the key. Both as bytes, for what verifies. */
export interface SignedText {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}

/** The text of a note that the key has signed; null for any other note. Signatures of other keys are ignored. */
export function openNote(sha256: Sha256, note: string, publicKey: NoteKey, verify: VerifySignature): string | null {
  const signed = signatureOf(sha256, note, publicKey);
  return signed && verify(publicKey.key, signed.bytes, signed.signature) ? signed.text : null;
}

/** The first signature that names the key, not yet verified; null when there is none. */
export function signatureOf(sha256: Sha256, note: string, publicKey: NoteKey): SignedText | null {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) return null;
  const text = note.slice(0, end + 1);
  const lines = note.slice(end + 2, -1).split('\n');
  const signatures = lines.map((line) => /^— ([^ ]+) ([A-Za-z0-9+/=]+)$/.exec(line));
  if (signatures.some((found) => found === null)) return null;
  const id = keyId(sha256, publicKey);
  for (const found of signatures) {
    const bytes = fromBase64(found![2]!);
    if (found![1] !== publicKey.name || bytes?.length !== 4 + SIGNATURE_BYTES || !equal(bytes.subarray(0, 4), id)) continue;
    return { text, bytes: new TextEncoder().encode(text), signature: bytes.subarray(4) };
  }
  return null;
}
