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
export function linkFault({ line, request }: NumberedRequest, requestOf: (id: string) => NumberedRequest | undefined): ChainFault | null {
  if (request.base === null) return null;
  const base = requestOf(request.base);
  if (!base) return { line, reason: UNKNOWN_BASE };
  const length = base.request.keep + base.request.tail.length;
  return request.keep > length ? { line, reason: tooLong(request.keep, length) } : null;
}
