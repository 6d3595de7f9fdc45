import { toHex } from '../hex.js';
import type { Checkpoint } from '../checkpoint.js';
import type { Sha256 } from '../tree.js';
import { filesIn } from '../../protocol/message/files-in.js';
import type { ForkedFrom } from '../../protocol/events/origin.js';
import { SentBodies } from './sent-bodies.js';
import { coveredOf } from './chain-row.js';
import { HashChain } from './hash-chain.js';
import { BadLine, type ErasuresLine, type EventLine, type FileLine, type HeadLine, lineOf, type ParentLine, type Proof } from './log-lines.js';

/** A log of which events are read: the session's, or that of a parent. */
interface Log {
  readonly sessionId: string;
  readonly chain: HashChain;
  readonly hashes: string[];
  /** The events that the session has of it. */
  readonly shared: number;
  /** Of a parent: its hash at the fork. */
  readonly headHash: string | null;
  /** The events to be read. */
  events: number;
  proof: Proof | null;
  awaitsProof: boolean;
}

type Line = { readonly type: unknown };

/** Reads the lines of an export with `format=log`, and compares all that needs no key: chains, erasures, files, and what the requests were. */
export class LogReader {
  #head: HeadLine | null = null;
  #log: Log | null = null;
  /** The session's, then those of its parents. */
  readonly #logs: Log[] = [];
  #from: ForkedFrom | null = null;
  /** Parents that the reader of the export may not read. */
  #hiddenParents = 0;
  readonly #files = new Set<string>();
  #missingFiles = 0;
  readonly #sent: SentBodies;
  #isOver = false;

  constructor(private readonly sha256: Sha256) {
    this.#sent = new SentBodies(sha256);
  }

  read(line: Line): void {
    if (this.#isOver) throw new BadLine('nothing may follow the proof.');
    const log = this.#log;
    if (!log) return this.#begin(lineOf('log', line, 'The first line must name the format and the session'));
    if (log.chain.count < log.events) {
      return this.#event(lineOf('event', line, `This must be event ${log.chain.count + 1} of ${log.events}`), log);
    }
    if (log.awaitsProof) {
      log.proof = this.#proofOf(lineOf('proof', line, 'This must be the proof of the parent').proof, log);
      log.awaitsProof = false;
      return;
    }
    switch (line.type) {
      case 'parent':
        return this.#parent(lineOf('parent', line, 'This must be a parent'));
      case 'erasures':
        return this.#erasures(lineOf('erasures', line, 'This must say how far the log of the parent continues'), log);
      case 'file':
        return this.#file(lineOf('file', line, 'This must be a file'));
      default: {
        const [own] = this.#logs;
        own!.proof = this.#proofOf(lineOf('proof', line, 'The last line must be the proof').proof, own!);
        this.#isOver = true;
      }
    }
  }

  /** Whether the last line has been read. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The proofs to be verified with a key. */
  end(): { readonly own: Proof; readonly parents: readonly Proof[] } {
    const [own, ...parents] = this.#logs;
    if (!this.#isOver || !own?.proof) {
      throw new BadLine(`the file ends here, after ${own?.chain.count ?? 0} of ${own?.events ?? 'an unknown number of'} events and without the proof.`);
    }
    if (this.#from) throw new BadLine('the session is a fork, and its parent is not in the file.');
    const [absent] = this.#files;
    if (absent !== undefined) throw new BadLine(`the file ${absent}, to which an event refers, is not here.`);
    return { own: own.proof, parents: parents.flatMap(({ proof }) => proof ?? []) };
  }

  /** Rebuilds the requests, one a step, after the last line was read. */
  requests(): Generator<void> {
    return this.#sent.verified(this.#hiddenParents === 0);
  }

  /** What is proven, once the requests were compared and the proofs are verified. */
  verdict({ size, origin }: Checkpoint): { readonly isProven: boolean; readonly text: string } {
    const [own] = this.#logs;
    const [covered, events] = [own!.proof!.seq, own!.events];
    const rest = events - covered;
    const since = `${covered} of ${events} events are unchanged since the checkpoint of ${size} leaves of ${origin} was signed.`;
    const later = rest > 0 ? ` Nothing proves the last ${rest} yet: export the log again in a moment.` : '';
    return { isProven: rest === 0, text: since + later + this.#extras(own!) };
  }

  #begin(head: HeadLine): void {
    this.#head = head;
    this.#open({ sessionId: head.sessionId, shared: head.events, headHash: null, events: head.events });
  }

  #open(of: Pick<Log, 'sessionId' | 'shared' | 'headHash' | 'events'>): void {
    const chain = new HashChain((bytes) => toHex(this.sha256(bytes)), this.#head!.tenantId, of.sessionId);
    this.#log = { ...of, chain, hashes: [], proof: null, awaitsProof: false };
    this.#logs.push(this.#log);
  }

  #event(given: EventLine, log: Log): void {
    const isLater = log.chain.count >= log.shared;
    if (given.data === null && (!isLater || given.salt !== null || given.eventType === 'content.erased')) {
      throw new BadLine(`event ${given.seq} has no data.`);
    }
    log.chain.add({
      seq: given.seq,
      covered: coveredOf({ ...given, microseconds: BigInt(given.recordedMicroseconds) }),
      hash: given.hash,
      salt: given.salt,
      type: given.eventType,
      actor: given.actor,
      data: given.data,
    });
    if (log.chain.firstInvalidLink !== null) {
      throw new BadLine(`event ${given.seq} is not the one that was recorded, or does not follow the event before it: its hashes do not match.`);
    }
    log.hashes.push(given.hash);
    if (!isLater && given.data !== null) this.#refer(given, given.data, log.headHash === null);
    if (log.chain.count === log.shared && log.headHash !== null && given.hash !== log.headHash) {
      throw new BadLine('the log of the parent is not the one that was forked: its hash is another one.');
    }
  }

  /** What the content of an event that was just verified refers to. */
  #refer({ seq, eventType: type }: EventLine, text: string, isOwn: boolean): void {
    const data = dataIn(text);
    for (const name of filesIn(data)) this.#files.add(name);
    if (type === 'session.created') this.#from = (data['forkedFrom'] as ForkedFrom | undefined) ?? null;
    this.#sent.event(seq, type, data, isOwn);
  }

  #parent(given: ParentLine): void {
    const from = this.#from;
    if (!from || given.sessionId !== from.sessionId || given.seq !== from.seq || given.headHash !== from.headHash) {
      throw new BadLine('this is not the parent that the session was forked from.');
    }
    if (given.events !== 0 && given.events !== given.seq) throw new BadLine(`of the parent, ${given.seq} events are needed.`);
    this.#from = null;
    if (given.events === 0) this.#hiddenParents += 1;
    else this.#open({ sessionId: given.sessionId, shared: given.seq, headHash: given.headHash, events: given.events });
  }

  #erasures({ events }: ErasuresLine, log: Log): void {
    if (log.headHash === null || log.events !== log.shared || events <= log.shared) throw new BadLine('no log of a parent continues here.');
    log.events = events;
    log.awaitsProof = true;
  }

  #file({ sha256: name, content }: FileLine): void {
    if (!this.#files.delete(name)) throw new BadLine('no event refers to this file, or it is there twice.');
    if (content === null) this.#missingFiles += 1;
    else if (toHex(this.sha256(bytesOf(content))) !== name) throw new BadLine('the file does not have this SHA-256.');
    else this.#sent.file(name, content);
  }

  /** The proof of this log, once nothing is wrong with its erasures up to the event that is proven. */
  #proofOf(given: Proof | null, log: Log): Proof {
    for (const one of log === this.#logs[0] ? this.#logs : [log]) {
      const covered = one === log ? given?.seq : (one.proof?.seq ?? one.shared);
      const fault = one.chain.erasureFault(covered);
      if (fault && fault.seq <= one.shared) throw new BadLine(`event ${fault.seq}${one.headHash === null ? '' : ' of the parent'} ${fault.text}.`);
    }
    if (!given) throw new BadLine('there is no proof: no event was in the transparency log when the file was written. Export it again.');
    if (given.sessionId !== log.sessionId || given.hash !== log.hashes[given.seq - 1]) throw new BadLine('the proof is of another event than those above.');
    return given;
  }

  #extras(own: Log): string {
    const [, ...parents] = this.#logs;
    const words: readonly (readonly [number, string])[] = [
      [own.chain.erased, 'The content of # of them was erased.'],
      [parents.length, `The shared history of # ${parents.length === 1 ? 'parent' : 'parents'} is unchanged.`],
      [parents.reduce((sum, { chain }) => sum + chain.erased, 0), 'The content of # events of it was erased.'],
      [this.#hiddenParents, 'The shared history of # parents is not in the file.'],
      [this.#sent.counts.proven, '# requests are as they were sent.'],
      [this.#sent.counts.erased, 'Nothing proves what # requests were: their content was erased.'],
      [this.#sent.counts.incomplete, 'Something of # requests is not in the file.'],
      [this.#missingFiles, '# files are missing.'],
    ];
    return words.flatMap(([count, text]) => (count > 0 ? [` ${text.replace('#', String(count))}`] : [])).join('');
  }
}

function dataIn(text: string): { readonly [member: string]: unknown } {
  try {
    const data: unknown = JSON.parse(text);
    return typeof data === 'object' && data !== null ? (data as { readonly [member: string]: unknown }) : {};
  } catch {
    throw new BadLine('the data of the event is not JSON.');
  }
}

function bytesOf(base64: string): Uint8Array {
  let text: string;
  try {
    text = atob(base64);
  } catch {
    throw new BadLine('the content of the file is not base64.');
  }
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  return bytes;
}
