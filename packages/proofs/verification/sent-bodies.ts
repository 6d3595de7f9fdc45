import { MissingBlob } from '../../protocol/message/block-sources.js';
import type { Message } from '../../protocol/message/message.js';
import { BrokenRecord, faultOf, RecordedRequest } from '../../protocol/request/recorded-request.js';
import type { SentBody } from '../../protocol/request/sent-body.js';
import { toHex } from '../hex.js';
import type { Sha256 } from '../tree.js';
import { BadLine } from './log-lines.js';

type Data = { readonly [member: string]: unknown };

/** What is known of the requests of a log. */
export interface RequestCounts {
  /** As they were sent. */
  proven: number;
  /** Their content was erased. */
  erased: number;
  /** A file that they contain, or a message of a parent, is not here. */
  incomplete: number;
}

/** Rebuilds the requests of a log from its verified events, and compares each with the digest that was recorded when it was sent. */
export class SentBodies {
  readonly #messages = new Map<string, Message>();
  readonly #bodies = new Map<string, SentBody | null>();
  readonly #requests: { readonly seq: number; readonly requestId: string; readonly digest: string }[] = [];
  readonly #files = new Map<string, string>();
  readonly counts: RequestCounts = { proven: 0, erased: 0, incomplete: 0 };

  constructor(private readonly sha256: Sha256) {}

  /** The data of a verified event. `isOwn`: it is not one of a parent. */
  event(seq: number, type: string, data: Data, isOwn: boolean): void {
    const message = data['message'] as Message | undefined;
    if (type === 'message.appended' && typeof message?.uuid === 'string') this.#messages.set(message.uuid, message);
    if (type !== 'request.sent' || !isOwn) return;
    const requestId = String(data['requestId']);
    this.#bodies.set(requestId, (data['body'] as SentBody | null | undefined) ?? null);
    this.#requests.push({ seq, requestId, digest: String(data['digest']) });
  }

  /** A file as base64. */
  file(sha256: string, content: string): void {
    this.#files.set(sha256, content);
  }

  /** One request a step, since each is as long as the conversation was. Throws BadLine at the first that is not the one that was sent. `isWhole`: nothing that it may be made from is withheld. */
  *verified(isWhole: boolean): Generator<void> {
    for (const { seq, requestId, digest } of this.#requests) {
      this.counts[this.#verified(seq, requestId, digest, isWhole)] += 1;
      yield;
    }
  }

  #verified(seq: number, requestId: string, digest: string, isWhole: boolean): keyof RequestCounts {
    if (this.#bodies.get(requestId) === null) {
      if (digest === '') return 'erased';
      throw new BadLine(`event ${seq} has no body of the request that it is about.`);
    }
    try {
      const request = new RecordedRequest(requestId, { body: (id) => this.#bodies.get(id), message: (uuid) => this.#messages.get(uuid) });
      const body = request.body((file) => this.#files.get(file));
      if (toHex(this.sha256(new TextEncoder().encode(body))) === digest) return 'proven';
    } catch (error) {
      if (error instanceof MissingBlob) return 'incomplete';
      const fault = faultOf(error);
      if (fault === null) throw error;
      if (error instanceof BrokenRecord && !isWhole) return 'incomplete';
      throw new BadLine(`event ${seq}: ${fault}`);
    }
    throw new BadLine(`event ${seq}: the request ${requestId} that it describes is not the one that was sent: its digest is another one.`);
  }
}
