/** Longest name that the model is told, in UTF-16 code units. */
const NAME_LENGTH = 80;

/** The name of a user as it stands before a prompt: one line without control characters or invisible ones, and without a colon, which ends it. Null: nothing is left of it. */
export function speakerName(name: string): string | null {
  const line = name
    .toWellFormed()
    .replace(/[\p{C}\p{Z}:]+/gu, ' ')
    .trim()
    .slice(0, NAME_LENGTH)
    .toWellFormed()
    .replace(/\uFFFD/g, '')
    .trim();
  return line === '' ? null : line;
}
