/**
 * Whether the text matches the pattern, in which `*` stands for any characters. Takes at most pattern length times text length steps; a regular expression made from an
 * untrusted pattern could take exponential time.
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
