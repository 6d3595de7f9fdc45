import { z } from 'zod';
import { HashChain } from './adapters/store/hash-chain.js';
import { coveredOf } from './adapters/store/log-row.js';
import { NodeCryptography } from './adapters/system/node-cryptography.js';
import { fromBase64 } from './core/proofs/base64.js';
import { readCheckpoint } from './core/proofs/checkpoint.js';
import { leafHashOf } from './core/proofs/leaf.js';
import { type NoteKey, openNote, readVerifierKey } from './core/proofs/note.js';
import { equal } from './core/proofs/tree.js';
import { filesIn } from './core/session/message-erasure.js';
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

const parent = z.strictObject({ type: z.literal('parent'), sessionId: uuid, seq, headHash: hash, events: z.int().min(0) });

const file = z.strictObject({ type: z.literal('file'), sha256: hash, mediaType: z.string().nullable(), content: z.base64().nullable() });

const request = z.strictObject({ type: z.literal('request'), requestId: z.string(), payload: z.string() });

/** What an event may refer to. */
const created = z.object({ forkedFrom: z.object({ sessionId: z.string(), seq, headHash: hash }).nullish() });
const sent = z.object({ requestId: z.string(), digest: z.string() });

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
  /** Of the events of the session so far. */
  readonly #hashes: string[] = [];
  /** The log of which events are read: the session's, then those of its parents. */
  #log: { readonly chain: HashChain; readonly events: number; readonly headHash: string | null } | null = null;
  #from: { readonly sessionId: string; readonly seq: number; readonly headHash: string } | null = null;
  #parents = 0;
  readonly #files = new Set<string>();
  #missingFiles = 0;
  /** Digests of the session's requests, by id. */
  readonly #sent = new Map<string, string>();
  #requests = 0;

  constructor(private readonly key: NoteKey) {}

  read(line: string): void {
    if (this.#verdict !== null) throw new BadLine('nothing may follow the proof.');
    if (!this.#head || !this.#chain || !this.#log) {
      this.#head = parsed(line, head, 'The first line must name the format and the session');
      this.#chain = new HashChain(this.#head.tenantId, this.#head.sessionId);
      this.#log = { chain: this.#chain, events: this.#head.events, headHash: null };
    } else if (this.#log.chain.count < this.#log.events) {
      const { chain, events } = this.#log;
      this.#event(parsed(line, event, `This must be event ${chain.count + 1} of ${events}`), chain);
      if (chain.count === events && this.#log.headHash !== null && chain.headHash !== this.#log.headHash) {
        throw new BadLine('the log of the parent is not the one that was forked: its hash is another one.');
      }
    } else if (line.startsWith('{"type":"parent"')) this.#parent(parsed(line, parent, 'This must be a parent'), this.#head);
    else if (line.startsWith('{"type":"file"')) this.#file(parsed(line, file, 'This must be a file'));
    else if (line.startsWith('{"type":"request"')) this.#request(parsed(line, request, 'This must be a request'));
    else this.#verdict = this.#proof(parsed(line, proof, 'The last line must be the proof').proof, this.#chain, this.#head);
  }

  end(): string {
    if (this.#verdict !== null) return this.#verdict;
    throw new BadLine(`the file ends here, after ${this.#hashes.length} of ${this.#head?.events ?? 'an unknown number of'} events and without the proof.`);
  }

  #parent(given: z.output<typeof parent>, { tenantId }: z.output<typeof head>): void {
    const from = this.#from;
    if (!from || given.sessionId !== from.sessionId || given.seq !== from.seq || given.headHash !== from.headHash) {
      throw new BadLine('this is not the parent that the session was forked from.');
    }
    if (given.events !== 0 && given.events !== given.seq) throw new BadLine(`of the parent, ${given.seq} events are needed.`);
    this.#from = null;
    if (given.events === 0) return;
    this.#parents += 1;
    this.#log = { chain: new HashChain(tenantId, given.sessionId), events: given.events, headHash: given.headHash };
  }

  #file({ sha256: name, content }: z.output<typeof file>): void {
    if (!this.#files.delete(name)) throw new BadLine('no event refers to this file, or it is there twice.');
    if (content === null) this.#missingFiles += 1;
    else if (Buffer.from(sha256(Buffer.from(content, 'base64'))).toString('hex') !== name) throw new BadLine('the file does not have this SHA-256.');
  }

  #request({ requestId, payload }: z.output<typeof request>): void {
    const digest = this.#sent.get(requestId);
    if (digest === undefined) throw new BadLine('no event is of this request, or it is there twice.');
    this.#sent.delete(requestId);
    if (digest === '') return; // its digest was erased
    if (Buffer.from(sha256(Buffer.from(payload))).toString('hex') !== digest) throw new BadLine('the payload is not the one that was sent.');
    this.#requests += 1;
  }

  /** What the content of an event that was just verified refers to. */
  #refer(type: string, text: string, isOwn: boolean): void {
    const data: unknown = JSON.parse(text);
    for (const name of filesIn(data)) this.#files.add(name);
    if (type === 'session.created') this.#from = created.safeParse(data).data?.forkedFrom ?? null;
    const of = isOwn && type === 'request.sent' ? sent.safeParse(data).data : undefined;
    if (of) this.#sent.set(of.requestId, of.digest);
  }

  #event(given: z.output<typeof event>, chain: HashChain): void {
    const before = chain.firstInvalidLink;
    const { seq: at, eventId, commandId, schemaVersion, digest, hash: link, eventType: type, actor, data, salt } = given;
    const microseconds = BigInt(given.recordedMicroseconds);
    chain.add({ seq: at, covered: coveredOf({ eventId, commandId, schemaVersion, microseconds, digest }), hash: link, salt, type, actor, data });
    if (before === null && chain.firstInvalidLink !== null) {
      throw new BadLine(`event ${given.seq} is not the one that was recorded, or does not follow the event before it: its hashes do not match.`);
    }
    if (chain === this.#chain) this.#hashes.push(given.hash);
    this.#refer(given.eventType, given.data, chain === this.#chain);
  }

  #proof(given: z.output<typeof proof>['proof'], chain: HashChain, { sessionId, events }: z.output<typeof head>): string {
    const fault = chain.erasureFault(given?.seq);
    if (fault) throw new BadLine(`event ${fault.seq} ${fault.text}.`);
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
    if (this.#from) throw new BadLine('the session is a fork, and its parent is not in the file.');
    const [absent] = this.#files;
    if (absent !== undefined) throw new BadLine(`the file ${absent}, to which an event refers, is not here.`);
    const rest = events - given.seq;
    const erased = chain.erased > 0 ? ` The content of ${chain.erased} of them was erased.` : '';
    const later = rest > 0 ? ` The last ${rest} follow them, but are not covered.` : '';
    return `${given.seq} of ${events} events are unchanged since the checkpoint of ${checkpoint.size} leaves of ${checkpoint.origin} was signed.${later}${erased}${this.#extras()}`;
  }

  #extras(): string {
    const parents = this.#parents > 0 ? ` The shared history of ${this.#parents} ${this.#parents === 1 ? 'parent' : 'parents'} is unchanged.` : '';
    const requests = this.#requests > 0 ? ` ${this.#requests} requests are as they were sent.` : '';
    const missing = this.#missingFiles > 0 ? ` ${this.#missingFiles} files are missing.` : '';
    return parents + requests + missing;
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
