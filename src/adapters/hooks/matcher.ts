/** Whether a hook is meant for a subject, such as a tool's name. */
export type Matcher = (subject: string) => boolean;

const NAMES_ONLY = /^[\w\-\s,|]*$/;

/**
 * A matcher as the public hooks reference reads it: nothing or `*` matches everything; names alone, with `|` or commas between them, match
 * exactly; anything else is a regular expression that may match anywhere in the subject. Null when it is not a valid one.
 */
export function matcherOf(pattern: string | undefined): Matcher | null {
  if (pattern === undefined || pattern === '' || pattern === '*') return () => true;
  if (NAMES_ONLY.test(pattern)) {
    const names = new Set(pattern.split(/[|,]/).map((name) => name.trim()));
    return (subject) => names.has(subject);
  }
  try {
    const expression = new RegExp(pattern);
    return (subject) => expression.test(subject);
  } catch {
    return null;
  }
}
