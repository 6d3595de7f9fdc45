/**
 * Whether `*` in the pattern, standing for any characters, can be filled in so that it is the text. In time of at most one length by the other: patterns
 * are not to be trusted with a regular expression.
 */
export function wildcard(pattern: string, text: string): boolean {
  let at = 0;
  let from = 0;
  let star = -1;
  let retry = 0;
  while (from < text.length) {
    if (at < pattern.length && pattern[at] === '*') {
      star = at;
      at += 1;
      retry = from;
    } else if (at < pattern.length && pattern[at] === text[from]) {
      at += 1;
      from += 1;
    } else if (star !== -1) {
      at = star + 1;
      retry += 1;
      from = retry;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
