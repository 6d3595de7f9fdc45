import { latin1, type Base64Bytes } from './base64.js';

export interface Pdf {
  readonly isEncrypted: boolean;
  /** From the root of the page tree; `undefined` when that is in a compressed stream or cannot be found. */
  readonly pages: number | undefined;
}

/** Bytes searched for the signature at the start and for `startxref` at the end. */
const HEAD = 1_024;
const TAIL = 2_048;
/** Bytes read of a dictionary. */
const DICTIONARY = 64 * 1_024;
/** Incremental updates followed; each adds a cross-reference section. */
const MAX_SECTIONS = 64;
const MAX_SUBSECTIONS = 1_024;

/**
 * Encryption and page count, without decompressing streams; `undefined` when the file is not a PDF. Follows the cross-references from the end
 * (ISO 32000, 7.5), so it reads a few short ranges of a file of any size.
 */
export function readPdf(bytes: Base64Bytes): Pdf | undefined {
  const signature = latin1(bytes, 0, HEAD).indexOf('%PDF-');
  if (signature < 0) return undefined;
  const sections = crossReferences(bytes, signature);
  const trailers = sections.length > 0 ? sections.map(({ trailer }) => trailer) : [lastTrailer(bytes)];
  return { isEncrypted: trailers.some((trailer) => /\/Encrypt\s*(?:\d|<<)/.test(trailer)), pages: pagesIn(bytes, sections, signature) };
}

interface Section {
  /** The trailer dictionary, or the dictionary of a cross-reference stream. */
  readonly trailer: string;
  /** Subsections: runs of 20-byte entries for the objects from `first` on. Empty for a cross-reference stream. */
  readonly runs: readonly { readonly first: number; readonly count: number; readonly at: number }[];
}

/** Newest first. Offsets are relative to the signature. */
function crossReferences(bytes: Base64Bytes, origin: number): readonly Section[] {
  const tail = latin1(bytes, bytes.length - TAIL, bytes.length);
  let at = numberAfter(tail.slice(Math.max(0, tail.lastIndexOf('startxref'))), /startxref\s+(\d+)/);
  const sections: Section[] = [];
  const seen = new Set<number>();
  while (at !== undefined && !seen.has(at) && sections.length < MAX_SECTIONS) {
    seen.add(at);
    const section = sectionAt(bytes, origin + at);
    if (!section) break;
    sections.push(section);
    at = numberAfter(section.trailer, /\/Prev\s+(\d+)/);
  }
  return sections;
}

function sectionAt(bytes: Base64Bytes, at: number): Section | undefined {
  const start = /^\s*xref\s+/.exec(latin1(bytes, at, at + 32));
  if (!start) {
    const dictionary = objectAt(bytes, at, 'stream');
    return dictionary?.includes('/XRef') ? { trailer: dictionary, runs: [] } : undefined;
  }
  const runs: { first: number; count: number; at: number }[] = [];
  let next = at + start[0].length;
  while (runs.length < MAX_SUBSECTIONS) {
    const head = /^\s*(\d+)\s+(\d+)\s*/.exec(latin1(bytes, next, next + 48));
    if (!head) break;
    const [whole, first, count] = head;
    runs.push({ first: Number(first), count: Number(count), at: next + whole.length });
    next += whole.length + Number(count) * 20;
  }
  const trailer = latin1(bytes, next, next + DICTIONARY).split('startxref', 1)[0] ?? '';
  return /^\s*trailer/.test(trailer) ? { trailer, runs } : undefined;
}

/** Fallback for a file without usable cross-references. */
function lastTrailer(bytes: Base64Bytes): string {
  const tail = latin1(bytes, bytes.length - TAIL, bytes.length);
  const at = tail.lastIndexOf('trailer');
  return at < 0 ? '' : (tail.slice(at).split('startxref', 1)[0] ?? '');
}

function pagesIn(bytes: Base64Bytes, sections: readonly Section[], origin: number): number | undefined {
  const root = reference(sections.find(({ trailer }) => trailer.includes('/Root'))?.trailer, /\/Root\s+(\d+)\s+\d+\s+R/);
  const catalog = lookUp(bytes, sections, origin, root);
  const tree = lookUp(bytes, sections, origin, reference(catalog, /\/Pages\s+(\d+)\s+\d+\s+R/));
  return tree !== undefined && /\/Type\s*\/Pages\b/.test(tree) ? numberAfter(tree, /\/Count\s+(\d+)/) : undefined;
}

function lookUp(bytes: Base64Bytes, sections: readonly Section[], origin: number, object: number | undefined): string | undefined {
  if (object === undefined) return undefined;
  for (const { runs } of sections) {
    const run = runs.find(({ first, count }) => object >= first && object < first + count);
    if (!run) continue;
    const entry = /^(\d{10}) \d{5} n/.exec(latin1(bytes, run.at + (object - run.first) * 20, run.at + (object - run.first) * 20 + 18));
    return entry ? objectAt(bytes, origin + Number(entry[1]), 'endobj', object) : undefined;
  }
  return undefined;
}

/** The text of the object at an offset, up to `end`; `undefined` when there is none, or its number is not `object`. */
function objectAt(bytes: Base64Bytes, at: number, end: string, object?: number): string | undefined {
  const head = /^\s*(\d+)\s+\d+\s+obj/.exec(latin1(bytes, at, at + 48));
  if (!head || (object !== undefined && Number(head[1]) !== object)) return undefined;
  return latin1(bytes, at, at + DICTIONARY).split(end, 1)[0];
}

const reference = (text: string | undefined, pattern: RegExp): number | undefined => (text === undefined ? undefined : numberAfter(text, pattern));

function numberAfter(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
