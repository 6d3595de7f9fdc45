import { z } from 'zod';
import { HashChain } from './adapters/store/hash-chain.js';
import { NodeCryptography } from './adapters/system/node-cryptography.js';
import { fromBase64 } from './core/proofs/base64.js';
import { readCheckpoint } from './core/proofs/checkpoint.js';
import { leafHashOf } from './core/proofs/leaf.js';
import { type NoteKey, openNote, readVerifierKey } from './core/proofs/note.js';
import { equal } from './core/proofs/tree.js';
import { rootByInclusion } from './core/proofs/verify.js';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const seq = z.int().min(1);

const head = z.strictObject({ type: z.literal('log'), format: z.literal('verbatim log/1'), sessionId: uuid, tenantId: uuid, events: seq });

const event = z.strictObject({
  type: z.literal('event'),
  seq,
  eventId: uuid,
  commandId: uuid,
  eventType: z.string(),
  schemaVersion: z.int().min(0).max(2_147_483_647),
  actor: z.string(),
  data: z.string(),
  recordedMicroseconds: z.string().regex(/^-?\d{1,18}$/),
  salt: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .nullable(),
  digest: hash,
  hash,
});

const proof = z.strictObject({
  type: z.literal('proof'),
  proof: z
    .strictObject({ sessionId: uuid, seq, hash, leafIndex: z.int().min(0), hashes: z.array(z.string()), checkpoint: z.string(), key: z.string() })
    .nullable(),
});

export interface Verdict {
  readonly isProven: boolean;
  /** One sentence: what is proven, or the first line that is wrong. */
  readonly text: string;
}

/** A line is not what the format says, or not what the lines before it prove. */
class BadLine extends Error {}

const { sha256, verify } = new NodeCryptography();

/** Verifies the lines of an export with `format=log` with the public key of the transparency log. The key in the file is not trusted. */
export async function verifyExport(lines: AsyncIterable<string>, verifier: string): Promise<Verdict> {
  const key = readVerifierKey(sha256, verifier);
  if (!key) throw new Error('The key is not the public key of a transparency log.');
  let at = 0;
  try {
    const reader = new Reader(key);
    for await (const line of lines) {
      at += 1;
      reader.read(line);
    }
    at += 1;
    return { isProven: true, text: reader.end() };
  } catch (error) {
    if (!(error instanceof BadLine)) throw error;
    return { isProven: false, text: `Line ${at}: ${error.message}` };
  }
}

class Reader {
  #head: z.output<typeof head> | null = null;
  #chain: HashChain | null = null;
  #verdict: string | null = null;
  /** Of the events so far. */
  readonly #hashes: string[] = [];

  constructor(private readonly key: NoteKey) {}

  read(line: string): void {
    if (this.#verdict !== null) throw new BadLine('nothing may follow the proof.');
    if (!this.#head || !this.#chain) {
      this.#head = parsed(line, head, 'The first line must name the format and the session');
      this.#chain = new HashChain(this.#head.tenantId, this.#head.sessionId);
    } else if (this.#hashes.length < this.#head.events) {
      this.#event(parsed(line, event, `This must be event ${this.#hashes.length + 1} of ${this.#head.events}`), this.#chain, this.#head);
    } else {
      this.#verdict = this.#proof(parsed(line, proof, 'The last line must be the proof').proof, this.#chain, this.#head);
    }
  }

  end(): string {
    if (this.#verdict !== null) return this.#verdict;
    throw new BadLine(`the file ends here, after ${this.#hashes.length} of ${this.#head?.events ?? 'an unknown number of'} events and without the proof.`);
  }

  #event(given: z.output<typeof event>, chain: HashChain, { tenantId }: z.output<typeof head>): void {
    const before = chain.firstInvalidLink;
    chain.add({
      seq: BigInt(given.seq),
      tenant_id: tenantId,
      event_id: given.eventId,
      command_id: given.commandId,
      type: given.eventType,
      schema_version: given.schemaVersion,
      actor: given.actor,
      data: given.data,
      recorded_us: BigInt(given.recordedMicroseconds),
      salt: given.salt,
      digest: given.digest,
      hash: given.hash,
    });
    if (before === null && chain.firstInvalidLink !== null) {
      throw new BadLine(`event ${given.seq} is not the one that was recorded, or does not follow the event before it: its hashes do not match.`);
    }
    this.#hashes.push(given.hash);
  }

  #proof(given: z.output<typeof proof>['proof'], chain: HashChain, { sessionId, events }: z.output<typeof head>): string {
    if (chain.firstInvalidSeq !== null) throw new BadLine(`event ${chain.firstInvalidSeq} has no content, and no event says that it was erased.`);
    if (!given) throw new BadLine('there is no proof: no event was in the transparency log when the file was written. Export it again.');
    if (given.sessionId !== sessionId || given.hash !== this.#hashes[given.seq - 1]) throw new BadLine('the proof is of another event than those above.');
    const text = openNote(sha256, given.checkpoint, this.key, verify);
    const checkpoint = text === null ? null : readCheckpoint(text);
    if (!checkpoint) throw new BadLine('the checkpoint was not signed with the given key.');
    const leaf = leafHashOf(sha256, { sessionId, seq: given.seq, hash: Buffer.from(given.hash, 'hex') });
    const root = rootByInclusion(
      sha256,
      given.leafIndex,
      checkpoint.size,
      leaf,
      given.hashes.map((text64) => fromBase64(text64) ?? new Uint8Array()),
    );
    if (!root || !equal(root, checkpoint.root)) throw new BadLine('the proof does not lead to the root of the checkpoint.');
    const rest = events - given.seq;
    const erased = chain.erased > 0 ? ` The content of ${chain.erased} of them was erased.` : '';
    const later = rest > 0 ? ` The last ${rest} follow them, but are not covered.` : '';
    return `${given.seq} of ${events} events are unchanged since the checkpoint of ${checkpoint.size} leaves of ${checkpoint.origin} was signed.${later}${erased}`;
  }
}

function parsed<Schema extends z.ZodType>(line: string, schema: Schema, expected: string): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new BadLine('this is not JSON; the file may be truncated.');
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new BadLine(`${expected}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}
