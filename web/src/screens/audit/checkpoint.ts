import { type Bytes, concat, equal, fromBase64, int64, sha256, utf8, uuidBytes } from './bytes.ts';

/** The proof that an event is in the transparency log (RFC 6962), and the signed checkpoint that it leads to (C2SP signed-note). */
export interface Proof {
  readonly sessionId: string;
  readonly seq: number;
  readonly hash: Bytes;
  readonly leafIndex: number;
  readonly hashes: readonly string[];
  readonly checkpoint: string;
}

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Bytes;
}

/** Algorithm number of Ed25519 in a key, and the lengths of what a note contains. */
const [ED25519, KEY, ID, SIGNATURE] = [1, 32, 4, 64];

/** The checkpoint, when `key` (`name+id+key`) has signed it; otherwise what is wrong. */
export async function signedCheckpoint(note: string, key: string): Promise<Checkpoint | string> {
  const [, name = '', encoded = ''] = /^([^+]+)\+[0-9a-f]{8}\+(.+)$/s.exec(key.trim()) ?? [];
  const keyBytes = fromBase64(encoded);
  if (keyBytes.length !== KEY + 1 || keyBytes[0] !== ED25519) return 'The key is not the public key of a transparency log.';
  const end = note.lastIndexOf('\n\n');
  const text = note.slice(0, end + 1);
  const id = (await sha256(concat(utf8(`${name}\n`), keyBytes))).subarray(0, ID);
  for (const line of note.slice(end + 2).split('\n')) {
    const [, signer, signature = ''] = /^— ([^ ]+) ([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
    const bytes = fromBase64(signature);
    if (signer !== name || bytes.length !== ID + SIGNATURE || !equal(bytes.slice(0, ID), id)) continue;
    const isSigned = await verifies(keyBytes.slice(1), utf8(text), bytes.slice(ID));
    if (isSigned === null) return 'This browser cannot verify signatures of Ed25519. Use `npm run verify`.';
    if (!isSigned) return 'The signature of the checkpoint is not that of the key.';
    const [origin = '', size = '', root = ''] = text.split('\n');
    return { origin, size: Number(size), root: fromBase64(root) };
  }
  return 'The checkpoint was not signed with the key.';
}

/** Null: the browser does not have the algorithm. */
async function verifies(key: Bytes, text: Bytes, signature: Bytes): Promise<boolean | null> {
  try {
    const imported = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', imported, signature, text);
  } catch {
    return null;
  }
}

/** Whether the event is the leaf that the proof says, in the tree of the checkpoint. */
export async function isIncluded({ sessionId, seq, hash, leafIndex, hashes }: Proof, { size, root }: Checkpoint): Promise<boolean> {
  const leaf = concat(utf8('verbatim event 1'), uuidBytes(sessionId), int64(BigInt(seq)), hash);
  let found = await sha256(concat(Uint8Array.of(0), leaf));
  let [at, last] = [leafIndex, size - 1];
  if (at < 0 || at > last) return false;
  for (const sibling of hashes.map(fromBase64)) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      found = await node(sibling, found);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else {
      found = await node(found, sibling);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && equal(found, root);
}

const node = (left: Bytes, right: Bytes): Promise<Bytes> => sha256(concat(Uint8Array.of(1), left, right));
