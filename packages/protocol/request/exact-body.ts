import { eachItem, endOfText, endOfValue } from '../message/json-scan.js';
import type { ExactPart, SentText } from './sent-body.js';

/** The text of a body in parts. */
export interface SplitParts {
  readonly parts: readonly string[];
  /** The part of each message, by its index. */
  readonly messages: readonly number[];
}

export const partsOfBody = (text: string): readonly string[] => splitParts(text).parts;

/**
 * The text of a body in parts, which joined are the text: each message with what separates it from the one before, the system prompt and the tools as they stand, and what is
 * between them. A later request of the conversation has most of the same parts. The text must be JSON, and an object. Of several members with the name `messages`, the last counts, as for every parser.
 */
export function splitParts(text: string): SplitParts {
  const cuts: number[] = [];
  let ends: number[] = [];
  eachItem(text, text.indexOf('{'), ({ name, at }) => {
    const end = endOfValue(text, at);
    if (name === 'messages') ends = [];
    if (name === 'messages' && text[at] === '[') {
      cuts.push(at + 1);
      eachItem(text, at, (item) => {
        const last = endOfValue(text, item.at);
        cuts.push(last);
        ends.push(last);
        return last;
      });
    } else if (name === 'system' || name === 'tools') cuts.push(at, end);
    return end;
  });
  const parts: string[] = [];
  const messages: number[] = [];
  let from = 0;
  for (const cut of [...cuts, text.length]) {
    if (cut > from) parts.push(text.slice(from, cut));
    if (cut === ends[messages.length]) messages.push(parts.length - 1);
    from = Math.max(from, cut);
  }
  return { parts, messages };
}

/** The parts by their digests: those that the earlier request has are ranges of its parts, others are `written`. */
export function exactParts<Written>(
  digests: readonly string[],
  earlier: readonly string[],
  written: (index: number) => Written,
): readonly (Written | PartRange)[] {
  const places = new Map(earlier.map((digest, index) => [digest, index]));
  const found: (Written | PartRange)[] = [];
  let last: PartRange | null = null;
  for (const [index, digest] of digests.entries()) {
    const next: number | undefined = last === null ? undefined : last.from + last.count;
    const place: number | undefined = next !== undefined && earlier[next] === digest ? next : places.get(digest);
    if (place === undefined) {
      found.push(written(index));
      last = null;
    } else if (last !== null && place === next) {
      last = { from: last.from, count: last.count + 1 };
      found[found.length - 1] = last;
    } else {
      last = { from: place, count: 1 };
      found.push(last);
    }
  }
  return found;
}

/** Strings with fewer characters stay text: a reference to a file would save nothing. So a record is never larger for its references. */
export const SMALLEST_FILE = 1_024;

/** The part, with references in place of those strings that as a whole are a file as base64: `fileOf` is asked once for each that is long enough, and as it is written. */
export function withoutFiles(part: string, fileOf: (written: string) => string | null): string | SentText {
  const pieces: SentText['text'][number][] = [];
  let from = 0;
  for (let open = part.indexOf('"'); open !== -1;) {
    const end = endOfText(part, open);
    const file = end - open > SMALLEST_FILE ? fileOf(part.slice(open + 1, end)) : null;
    if (file !== null) {
      pieces.push(part.slice(from, open + 1), { file });
      from = end;
    }
    open = part.indexOf('"', end + 1);
  }
  return from === 0 ? part : { text: [...pieces, part.slice(from)] };
}

export type PartRange = Extract<ExactPart, { readonly from: number }>;

/** The parts of the last body of a chain, in which each body but the first refers to the one before it. Null: something that is referred to is missing. */
export function resolvedParts(chain: readonly (readonly ExactPart[])[]): readonly (string | SentText)[] | null {
  let parts: readonly (string | SentText)[] = [];
  for (const body of chain) {
    const resolved: (string | SentText)[] = [];
    for (const part of body) {
      if (typeof part === 'string' || 'text' in part) resolved.push(part);
      else if (part.from + part.count > parts.length || part.from < 0) return null;
      else for (let at = part.from; at < part.from + part.count; at += 1) resolved.push(parts[at]!);
    }
    parts = resolved;
  }
  return parts;
}
