import { fromBase64, toBase64 } from './base64.js';
import { isKeyName, type NoteKey, type VerifySignature } from './note.js';
import { concat, equal, type Sha256 } from './tree.js';

/** Cosignatures of witnesses (C2SP tlog-cosignature, version 1): a witness signs a checkpoint, with its time, when it continues the one it has signed before. */

const COSIGNATURE = 4;
const KEY_BYTES = 32;
const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;

export interface Cosignature {
  /** As it stands below the note, with its line break. */
  readonly line: string;
  /** Seconds since the epoch. */
  readonly time: number;
}

function keyId(sha256: Sha256, { name, key }: NoteKey): Uint8Array {
  return sha256(concat([new TextEncoder().encode(`${name}\n`), Uint8Array.of(COSIGNATURE), key])).subarray(0, 4);
}

export function witnessKey(sha256: Sha256, publicKey: NoteKey): string {
  return `${publicKey.name}+${hex(keyId(sha256, publicKey))}+${toBase64(concat([Uint8Array.of(COSIGNATURE), publicKey.key]))}`;
}

/** Null when the text is not the public key of a witness. */
export function readWitnessKey(sha256: Sha256, text: string): NoteKey | null {
  const [, name = '', encoded = ''] = /^([^+]+)\+[0-9a-f]{8}\+(.+)$/s.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  if (!isKeyName(name) || bytes?.length !== KEY_BYTES + 1 || bytes[0] !== COSIGNATURE) return null;
  const found = { name, key: bytes.slice(1) };
  return witnessKey(sha256, found) === text ? found : null;
}

/** What is signed. `text`: the text of the checkpoint, which ends with a line break. */
export function cosignedText(text: string, time: number): Uint8Array {
  return new TextEncoder().encode(`cosignature/v1\ntime ${time}\n${text}`);
}

export function cosignatureLine(sha256: Sha256, publicKey: NoteKey, time: number, signature: Uint8Array): string {
  return `— ${publicKey.name} ${toBase64(concat([keyId(sha256, publicKey), timeBytes(time), signature]))}\n`;
}

/** The valid cosignature of the witness among signature lines; null when there is none. */
export function cosignatureIn(sha256: Sha256, lines: string, text: string, publicKey: NoteKey, verify: VerifySignature): Cosignature | null {
  const id = keyId(sha256, publicKey);
  for (const line of lines.split('\n')) {
    const [, name, encoded = ''] = /^— ([^ ]+) ([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
    const bytes = fromBase64(encoded);
    if (name !== publicKey.name || bytes?.length !== 4 + TIME_BYTES + SIGNATURE_BYTES || !equal(bytes.subarray(0, 4), id)) continue;
    const time = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(4));
    if (verify(publicKey.key, cosignedText(text, time), bytes.subarray(4 + TIME_BYTES))) return { line: `${line}\n`, time };
  }
  return null;
}

function timeBytes(time: number): Uint8Array {
  const bytes = new Uint8Array(TIME_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(time));
  return bytes;
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
