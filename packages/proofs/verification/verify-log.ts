import { readCheckpoint, type Checkpoint } from '../checkpoint.js';
import { fromBase64 } from '../base64.js';
import { fromHex } from '../hex.js';
import { leafHashOf } from '../leaf.js';
import { type NoteKey, readVerifierKey, signatureOf } from '../note.js';
import { equal, type Sha256 } from '../tree.js';
import { rootByInclusion } from '../verify.js';
import { BadLine, parsedLine, type Proof } from './log-lines.js';
import { LogReader } from './log-reader.js';

/** What computes hashes and verifies signatures: Node, or a browser. */
export interface Tools {
  readonly sha256: Sha256;
  readonly verify: (publicKey: Uint8Array, text: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>;
}

export interface Verdict {
  /** Whether all events of the file are. */
  readonly isProven: boolean;
  /** What is proven, or the first line that is wrong. */
  readonly text: string;
  /** The public key that the proof was verified with; null: there was none. */
  readonly key: string | null;
}

/**
 * Verifies the lines of an export with `format=log`. `key`: the public key of the transparency log. Null: that of the file, which shows only that the server that
 * wrote the file agrees with itself. `onEvents` is called now and then with the number of events so far.
 */
export async function verifyLog(
  lines: AsyncIterable<string> | Iterable<string>,
  key: string | null,
  tools: Tools,
  onEvents: (count: number) => void | Promise<void> = () => {},
): Promise<Verdict> {
  const trusted = key === null ? null : readVerifierKey(tools.sha256, key.trim());
  if (key !== null && !trusted) throw new Error('The key is not the public key of a transparency log.');
  const reader = new LogReader(tools.sha256);
  let [at, used] = [0, key];
  try {
    for await (const line of lines) {
      at += 1;
      reader.read(parsedLine(line));
      if (at % 500 === 0) await onEvents(at);
    }
    if (!reader.isOver) at += 1;
    const { own, parents } = reader.end();
    for (const _ of reader.requests()) await onEvents(at);
    used = key ?? own.key;
    const publicKey = trusted ?? readVerifierKey(tools.sha256, own.key.trim());
    if (!publicKey) throw new BadLine('its key is not the public key of a transparency log.');
    for (const proof of parents) await provenBy(tools, publicKey, proof);
    const checkpoint = await provenBy(tools, publicKey, own);
    return { ...reader.verdict(checkpoint), key: used };
  } catch (error) {
    if (!(error instanceof BadLine)) throw error;
    return { isProven: false, text: `Line ${at}: ${error.message}`, key: used };
  }
}

/** The checkpoint with the event that the proof is of. */
async function provenBy({ sha256, verify }: Tools, key: NoteKey, proof: Proof): Promise<Checkpoint> {
  const signed = signatureOf(sha256, proof.checkpoint, key);
  const checkpoint = signed && (await verify(key.key, signed.bytes, signed.signature)) ? readCheckpoint(signed.text) : null;
  if (!checkpoint) throw new BadLine('the checkpoint was not signed with the given key.');
  const leaf = leafHashOf(sha256, { sessionId: proof.sessionId, seq: proof.seq, hash: fromHex(proof.hash) });
  const hashes = proof.hashes.map((text) => fromBase64(text) ?? new Uint8Array());
  const root = rootByInclusion(sha256, proof.leafIndex, checkpoint.size, leaf, hashes);
  if (!root || !equal(root, checkpoint.root)) throw new BadLine('the proof does not lead to the root of the checkpoint.');
  return checkpoint;
}
