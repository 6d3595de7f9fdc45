import type { ClientRequestLine } from './client-lines.js';

/** A line of a file, by number. */
export interface NumberedRequest {
  readonly line: number;
  readonly request: ClientRequestLine;
}

/** A message of a request by its hash, and the line that names it. Null: in a form that is not known. */
export interface NamedPart {
  readonly hash: string | null;
  readonly line: number;
}

/** Why the messages of a request are not known. */
export interface ChainFault {
  readonly line: number;
  readonly reason: string;
}

/** All messages of a request: those of its base that it keeps, then its own. */
export function partsOf(last: NumberedRequest, requestOf: (id: string) => NumberedRequest | undefined): readonly NamedPart[] | ChainFault {
  const chain = [last];
  const seen = new Set([last.line]);
  for (let one = last; one.request.base !== null;) {
    const base = requestOf(one.request.base);
    if (!base) return { line: one.line, reason: UNKNOWN_BASE };
    if (seen.has(base.line)) return { line: one.line, reason: 'continues itself' };
    seen.add(base.line);
    chain.push(base);
    one = base;
  }
  const parts: NamedPart[] = [];
  for (const { line, request } of chain.toReversed()) {
    if (request.keep > parts.length) return { line, reason: tooLong(request.keep, parts.length) };
    parts.length = request.keep;
    for (const hash of request.tail) parts.push({ hash, line });
  }
  return parts;
}

export const UNKNOWN_BASE = 'continues a request that the file does not have';

const tooLong = (keep: number, length: number): string => `keeps ${keep} messages of a request that has ${length}`;

/** What is wrong with a link alone, without reading the chain. */
function linkFault({ line, request }: NumberedRequest, requestOf: (id: string) => NumberedRequest | undefined): ChainFault | null {
  if (request.base === null) return null;
  const base = requestOf(request.base);
  if (!base) return { line, reason: UNKNOWN_BASE };
  const length = base.request.keep + base.request.tail.length;
  return request.keep > length ? { line, reason: tooLong(request.keep, length) } : null;
}

/**
 * What is wrong with the links of each request, its own and, through them, those of the requests that it continues. Each is walked once: what is known of a base holds for all
 * that continue it.
 */
export class ChainFaults {
  readonly #isSound = new Map<number, boolean>();

  constructor(private readonly requestOf: (id: string) => NumberedRequest | undefined) {}

  of(numbered: NumberedRequest): ChainFault | null {
    const own = linkFault(numbered, this.requestOf);
    if (own) return own;
    const walked: NumberedRequest[] = [];
    const seen = new Set<number>();
    let isSound: boolean | undefined;
    for (let one = numbered; isSound === undefined;) {
      isSound = seen.has(one.line) || linkFault(one, this.requestOf) ? false : this.#isSound.get(one.line);
      seen.add(one.line);
      walked.push(one);
      if (one.request.base === null) isSound = true;
      else if (isSound === undefined) one = this.requestOf(one.request.base)!;
    }
    for (const { line } of walked) this.#isSound.set(line, isSound);
    return isSound ? null : { line: numbered.line, reason: UNKNOWN_CHAIN };
  }
}

const UNKNOWN_CHAIN = 'continues a request that has no known list of messages, or itself';
