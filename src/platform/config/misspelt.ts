import { SETTING_NAMES } from './env.js';

/** Variables of the environment that are no settings and are named almost like one, with the setting that was probably meant. */
export function misspeltSettings(environment: Readonly<Record<string, string | undefined>>): readonly { readonly name: string; readonly meant: string }[] {
  return Object.keys(environment).flatMap((name) => {
    if (SETTING_NAMES.includes(name)) return [];
    const meant = SETTING_NAMES.find((setting) => isNear(name.toUpperCase(), setting));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

/** One edit apart, or two for names of eight characters and more. Names of up to four characters are not compared: HOST is too near to HOME, PORT to POST. */
function isNear(name: string, setting: string): boolean {
  const allowed = setting.length <= 4 ? 0 : setting.length < 8 ? 1 : 2;
  return Math.abs(name.length - setting.length) <= allowed && onlyIn(name, setting) <= allowed && edits(name, setting) <= allowed;
}

/** Number of characters that only the first text has: it takes an edit for each. Every start compares thousands of pairs, and this ends nearly all. */
function onlyIn(one: string, other: string): number {
  let count = 0;
  for (const character of one) if (!other.includes(character)) count += 1;
  return count;
}

/** Insertions, deletions, replacements, and exchanges of neighbours between two texts (optimal string alignment). */
function edits(one: string, other: string): number {
  let [before, row]: number[][] = [[], Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let line = 1; line <= one.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[line - 1] === other[column - 1] ? 0 : 1;
      const swapped = line > 1 && column > 1 && one[line - 1] === other[column - 2] && one[line - 2] === other[column - 1];
      next.push(Math.min(row![column]! + 1, next[column - 1]! + 1, row![column - 1]! + same, swapped ? before![column - 2]! + 1 : Infinity));
    }
    [before, row] = [row!, next];
  }
  return row!.at(-1)!;
}
