import { plural } from '../../app/words.ts';
import { type Bytes, concat, equal, fromHex, int32, int64, sha256, utf8, uuidBytes } from './bytes.ts';
import { isIncluded, signedCheckpoint } from './checkpoint.ts';

export interface Verdict {
  readonly isProven: boolean;
  /** What is proven, or the first line that is wrong. */
  readonly text: string;
  /** Of what cannot be trusted to the server: the key that the proof was verified with. */
  readonly key: string | null;
}

/** An event of an export with `format=log`. */
interface Line {
  readonly seq: number;
  readonly eventId: string;
  readonly commandId: string;
  readonly eventType: string;
  readonly schemaVersion: number;
  readonly actor: string;
  readonly data: string;
  readonly recordedMicroseconds: string;
  readonly salt: string | null;
  readonly digest: string;
  readonly hash: string;
}

interface ProofLine {
  readonly sessionId: string;
  readonly seq: number;
  readonly hash: string;
  readonly leafIndex: number;
  readonly hashes: readonly string[];
  readonly checkpoint: string;
  readonly key: string;
}

/** What is wrong with a line. */
class BadLine extends Error {}

/**
 * Computes the hash chain of a log again, in this browser, from an export with `format=log`, and verifies its proof. With `key`, the public key that the reader got
 * another way; otherwise with the key in the file, which shows only that the server is consistent with itself.
 */
export async function verifyLog(text: string, key: string | null, onProgress: (events: number) => void = () => {}): Promise<Verdict> {
  const lines = text.split('\n').filter((line) => line !== '');
  const [first, ...rest] = lines;
  let at = 1;
  try {
    const head = parsed<{ readonly format: string; readonly sessionId: string; readonly tenantId: string; readonly events: number }>(first ?? '');
    if (head.format !== 'verbatim log/1') throw new BadLine('this is not an export of a log.');
    const chain = new Chain(head.sessionId, head.tenantId);
    for (const line of rest.slice(0, head.events)) {
      at += 1;
      await chain.add(parsed<Line>(line));
      if (chain.count % 500 === 0) onProgress(chain.count);
    }
    if (chain.count < head.events) throw new BadLine(`the file ends after ${chain.count} of ${head.events} events.`);
    at += 1;
    const unnamed = chain.firstUnnamed;
    if (unnamed !== null) throw new BadLine(`event ${unnamed} has no content, and no event says that it was erased.`);
    const { proof } = parsed<{ readonly proof: ProofLine | null }>(rest[head.events] ?? '');
    return await verdictOf(chain, head.sessionId, proof, key);
  } catch (error) {
    if (!(error instanceof BadLine)) throw error;
    return { isProven: false, text: `Line ${at}: ${error.message}`, key };
  }
}

async function verdictOf(chain: Chain, sessionId: string, proof: ProofLine | null, key: string | null): Promise<Verdict> {
  const erased = chain.erased === 0 ? '' : ` The content of ${chain.erased} of them was erased.`;
  if (!proof)
    return {
      isProven: false,
      text: `The chain of ${plural(chain.count, 'event')} is whole.${erased} No event is in the transparency log yet: try again in a second.`,
      key,
    };
  if (proof.sessionId !== sessionId || chain.hashes[proof.seq - 1] !== proof.hash) throw new BadLine('the proof is of another event than those above.');
  const used = key ?? proof.key;
  const checkpoint = await signedCheckpoint(proof.checkpoint, used);
  if (typeof checkpoint === 'string') return { isProven: false, text: checkpoint, key: used };
  if (!(await isIncluded({ ...proof, hash: fromHex(proof.hash) }, checkpoint))) throw new BadLine('the proof does not lead to the root of the checkpoint.');
  const later = chain.count - proof.seq;
  const rest = later === 0 ? '' : ` The last ${later} follow them, but are not covered.`;
  return {
    isProven: true,
    text: `${proof.seq} of ${plural(chain.count, 'event')} are unchanged since the checkpoint of ${checkpoint.size} leaves of ${checkpoint.origin} was signed.${rest}${erased}`,
    key: used,
  };
}

class Chain {
  readonly hashes: string[] = [];
  erased = 0;
  readonly #session: Bytes;
  readonly #tenant: Bytes;
  #previous: Bytes | null = null;
  readonly #unnamed = new Map<number, string>();

  constructor(sessionId: string, tenantId: string) {
    this.#session = uuidBytes(sessionId);
    this.#tenant = uuidBytes(tenantId);
  }

  get count(): number {
    return this.hashes.length;
  }

  /** The first event without content that no later event reports as erased. */
  get firstUnnamed(): number | null {
    return this.#unnamed.size === 0 ? null : Math.min(...this.#unnamed.keys());
  }

  async add(line: Line): Promise<void> {
    const seq = this.count + 1;
    const previous = this.#previous ?? (await sha256(concat(utf8('verbatim chain 1'), this.#session)));
    const digest = fromHex(line.digest);
    const link = await sha256(
      concat(
        previous,
        this.#session,
        int64(BigInt(line.seq)),
        this.#tenant,
        uuidBytes(line.eventId),
        uuidBytes(line.commandId),
        int32(line.schemaVersion),
        int64(BigInt(line.recordedMicroseconds)),
        digest,
        await sha256(utf8(line.actor)),
        utf8(line.eventType),
      ),
    );
    const isContent = line.salt === null || equal(await sha256(concat(fromHex(line.salt), utf8(line.data))), digest);
    const hash = fromHex(line.hash);
    if (line.seq !== seq || !isContent || !equal(link, hash)) {
      throw new BadLine(`event ${seq} is not the one that was recorded, or does not follow the event before it: its hashes do not match.`);
    }
    this.hashes.push(line.hash);
    this.#previous = hash;
    this.#note(line);
  }

  /** What is left of an erased event must be what its erasure recorded. */
  #note({ seq, eventType, data, salt }: Line): void {
    if (salt === null) {
      this.erased += 1;
      this.#unnamed.set(seq, data);
    } else if (eventType === 'content.erased') {
      const { events } = parsed<{ readonly events?: readonly { readonly seq: number; readonly data: unknown }[] }>(data);
      for (const named of events ?? []) if (this.#unnamed.get(named.seq) === JSON.stringify(named.data)) this.#unnamed.delete(named.seq);
    }
  }
}

function parsed<T>(line: string): T {
  try {
    return JSON.parse(line) as T;
  } catch {
    throw new BadLine('this is not JSON; the file may be truncated.');
  }
}
