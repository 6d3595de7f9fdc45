import type { ClientRequestsReport, RequestFinding } from '../../../packages/protocol/events/events.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { canonicalDigest, canonicalShape } from '../../../packages/protocol/request/canonical.js';
import { ChainFaults, type NumberedRequest } from '../../../packages/protocol/request/client-chain.js';
import { clientLine, type ClientRequestLine } from '../../../packages/protocol/request/client-lines.js';
import { MOST_LISTED } from './report.js';
import { TranscriptParts } from './transcript-parts.js';

const NOT_FOUND = 'has a message that is neither in the file nor follows from its messages';
const NOT_FOUND_SO_FAR = `${NOT_FOUND}, as far as these were joined: they are too long to try every way`;

/**
 * Compares what a file says about its requests with the messages that it has. First all lines about requests are added, then all messages. Holds hashes, no content.
 */
export class ClientFindings {
  readonly #requests: NumberedRequest[] = [];
  readonly #byId = new Map<string, NumberedRequest>();
  readonly #shapes = new Set<string>();
  /** Hashes of messages that requests name, and that were not found yet, by the first line that names each. */
  #wanted: Map<string, number> | null = null;
  readonly #messages = new Set<string>();
  readonly #parts = new TranscriptParts();
  readonly #findings: RequestFinding[] = [];

  constructor(private readonly sha256: (text: string) => string) {}

  line(line: number, value: unknown): void {
    const read = clientLine(value);
    if (read === null) return;
    if (read.kind === 'request') return this.#request(line, read);
    const computed = read.kind === 'blob' ? canonicalDigest(read.value, this.sha256) : this.sha256(canonicalShape(read.value));
    if (read.hash === computed) (read.kind === 'blob' ? this.#messages : this.#shapes).add(computed);
    else this.#find(line, read.hash, 'has not the content that its hash names');
  }

  #request(line: number, request: ClientRequestLine): void {
    const numbered = { line, request };
    if (request.id !== null && this.#byId.has(request.id)) this.#find(line, null, 'has the id of an earlier request, which counts');
    else {
      if (request.id !== null) this.#byId.set(request.id, numbered);
      this.#requests.push(numbered);
    }
  }

  /** A message of the file, with its files inline. Returns how many characters were hashed: none once all hashes are found. */
  message(message: StoredMessage): number {
    this.#wanted ??= this.#wantedParts();
    if (this.#wanted.size === 0) return 0;
    let hashed = 0;
    for (const { canonical } of this.#parts.of(message)) {
      hashed += canonical.length;
      this.#wanted.delete(this.sha256(canonical));
      if (this.#wanted.size === 0) break;
    }
    return hashed;
  }

  #wantedParts(): Map<string, number> {
    const wanted = new Map<string, number>();
    for (const { line, request } of this.#requests) {
      for (const hash of request.tail) if (hash !== null && !this.#messages.has(hash) && !wanted.has(hash)) wanted.set(hash, line);
    }
    return wanted;
  }

  /** Null: the file says nothing about requests. */
  report(): ClientRequestsReport | null {
    const faults = new ChainFaults((id) => this.#byId.get(id));
    for (const { line, request } of this.#requests) {
      const fault = faults.of({ line, request });
      if (fault) this.#find(line, null, fault.reason);
      if (request.tail.includes(null)) this.#find(line, null, 'names a message in a form that is not known');
      if (request.shape === null) this.#find(line, null, 'names no system prompt and tools');
      else if (!this.#shapes.has(request.shape)) this.#find(line, request.shape, 'has a system prompt and tools that are not in the file');
    }
    const missing = this.#parts.isCut ? NOT_FOUND_SO_FAR : NOT_FOUND;
    for (const [hash, line] of this.#wanted ?? this.#wantedParts()) this.#find(line, hash, missing);
    if (this.#requests.length === 0 && this.#findings.length === 0) return null;
    const findings = this.#findings.toSorted((one, other) => one.line - other.line);
    return { requests: this.#requests.length, findings: findings.slice(0, MOST_LISTED), findingsTotal: findings.length };
  }

  #find(line: number, hash: string | null, reason: string): void {
    this.#findings.push({ line, hash, reason });
  }
}
