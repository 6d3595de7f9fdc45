/** Whether a hook applies to a subject, such as a tool's name. */
export type Matcher = (subject: string) => boolean;

const NAMES_ONLY = /^[\w\-\s,|]*$/;

/**
 * A matcher as in the public hooks reference: none, empty or `*` matches everything; names separated by `|` or commas match exactly; anything else is a regular
 * expression that may match anywhere in the subject. Null when it is not a valid one.
 */
export function matcherOf(pattern: string | undefined): Matcher | null {
  const plain = plainMatcherOf(pattern);
  if (plain || pattern === undefined) return plain;
  try {
    const expression = new RegExp(pattern);
    return (subject) => expression.test(subject);
  } catch {
    return null;
  }
}

/** Names, and `.*` between their parts. */
const WILDCARDS = /^[\w\-|^$.*\s]*$/;

/**
 * The subset of matchers that cannot backtrack: names, `.*`, and `^` and `$` at the ends of an alternative. Matching takes time linear in the subject. Null for
 * anything else.
 */
export function plainMatcherOf(pattern: string | undefined): Matcher | null {
  if (pattern === undefined || pattern === '' || pattern === '*') return () => true;
  if (NAMES_ONLY.test(pattern)) {
    const names = new Set(pattern.split(/[|,]/).map((name) => name.trim()));
    return (subject) => names.has(subject);
  }
  if (!WILDCARDS.test(pattern)) return null;
  const alternatives = pattern.split('|').map(wildcards);
  return alternatives.includes(null) ? null : (subject) => alternatives.some((matches) => matches?.(subject));
}

function wildcards(alternative: string): Matcher | null {
  const fromStart = alternative.startsWith('^');
  const toEnd = alternative.endsWith('$');
  const parts = alternative.slice(fromStart ? 1 : 0, toEnd ? -1 : undefined).split('.*');
  if (parts.some((part) => /[.*^$]/.test(part))) return null;
  return (subject) => {
    const last = parts.at(-1) ?? '';
    let at = 0;
    for (const [index, part] of parts.entries()) {
      const isLast = index === parts.length - 1;
      const found = isLast && toEnd && (index > 0 || !fromStart) ? subject.length - last.length : subject.indexOf(part, at);
      if (found < at || !subject.startsWith(part, found) || (index === 0 && fromStart && found !== 0)) return false;
      at = found + part.length;
    }
    return !toEnd || at === subject.length;
  };
}
