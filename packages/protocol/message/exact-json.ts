import { endOfText } from './json-scan.js';

/** A number in JSON text. */
export interface NumberPlace {
  readonly at: number;
  readonly literal: string;
}

/** Only such a text can contain a number that a double does not hold. */
const SUSPECT = /\d{16}|\d[eE]\+?\d{3}/;
const NEXT = /"|-?\d[\d.eE+-]*/g;
const INTEGER = /^-?\d+$/;

/** Whether a double holds the number: an integer if it is written again with the same digits, any other if it is in range. */
function isHeld(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  return !INTEGER.test(literal) || Number.isSafeInteger(value) || String(value) === literal;
}

/** The next number, from `from` on, that a double does not hold. The text must be valid JSON, and `from` outside its strings. */
export function nextUnheld(text: string, from = 0): NumberPlace | null {
  if (from === 0 && !SUSPECT.test(text)) return null;
  NEXT.lastIndex = from;
  for (let found = NEXT.exec(text); found; found = NEXT.exec(text)) {
    const [literal] = found;
    if (literal === '"') NEXT.lastIndex = endOfText(text, found.index) + 1;
    else if (!isHeld(literal)) return { at: found.index, literal };
  }
  return null;
}

/** Parses JSON. A number that a double does not hold becomes its text: a rounded id would name something else. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const pieces: string[] = [];
  let end = 0;
  for (let found = nextUnheld(text); found; found = nextUnheld(text, end)) {
    pieces.push(text.slice(end, found.at), `"${found.literal}"`);
    end = found.at + found.literal.length;
  }
  return end === 0 ? value : JSON.parse(pieces.join('') + text.slice(end));
}

const ESCAPE = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|[^])/g;
const LONE = /^\\u[dD][89a-fA-F][\da-fA-F]{2}$/;

/** JSON text with U+FFFD for each lone surrogate, written as itself or as an escape. */
export function wellFormedJson(text: string): string {
  return text.toWellFormed().replace(ESCAPE, (escape) => (LONE.test(escape) ? '\\ufffd' : escape));
}
