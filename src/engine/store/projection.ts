import type { SessionProjection } from '../../session/transcript/projection.js';
import { plainText } from './encrypted-text.js';

/** How texts are prepared for the search. */
export interface SearchTerms {
  /** Name of a text search configuration of Postgres. */
  readonly language: string;
  /** Characters of a text that can be searched; what follows is not found. Bounds the cost of an append and the size of a row. */
  readonly characters: number;
}

export const DEFAULT_SEARCH_TERMS: SearchTerms = { language: 'simple', characters: 10_000 };

/** Marks around what was found; removed from every text, so that a text cannot contain them. */
export const FOUND_START = '\u0002';
export const FOUND_END = '\u0003';

/** What project_session takes, besides the row of the session list. */
export interface ProjectionColumns {
  /** A JSON object. */
  readonly facts: string;
  readonly language: string;
  /** Parallel arrays, one item per text. */
  readonly ids: readonly string[];
  readonly kinds: readonly string[];
  readonly texts: readonly string[];
  readonly hidden: readonly string[];
  readonly shown: readonly string[];
}

/** `encrypt`: for a session that is encrypted. Its texts are not searched: an index of their words would be in plain text. */
export function projectionColumns(
  given: SessionProjection,
  { language, characters }: SearchTerms,
  encrypt: ((text: string) => string) | null = null,
): ProjectionColumns {
  const { texts: all, hidden, shown, firstText, lastText, ...facts } = given;
  const texts = encrypt ? all.filter(({ text }) => text === '') : all;
  const preview = (text: string | null): string | null => (text === null ? null : (encrypt ?? plainText)(text));
  return {
    facts: jsonOf({ ...facts, firstText: preview(firstText), lastText: preview(lastText) }),
    language,
    ids: texts.map(({ id }) => id),
    kinds: texts.map(({ kind }) => kind),
    texts: texts.map(({ text }) => storable(text.slice(0, characters))),
    hidden,
    shown,
  };
}

/** A text column holds neither U+0000 nor half a character. The log keeps the text as it is. */
function storable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/[\u0000\u0001\u0002\u0003]/g, ' ');
}

/** Nor does jsonb, in keys and in texts. */
function jsonOf(value: object): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'string') return storable(member);
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([key, inner]) => [storable(key), inner]));
  });
}
