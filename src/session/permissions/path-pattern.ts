import { wildcard } from './wildcard.js';

interface Path {
  readonly isAbsolute: boolean;
  /** Leads out of the starting folder. */
  readonly escapes: boolean;
  readonly segments: readonly string[];
}

/**
 * Whether a path matches a pattern like those of .gitignore: a plain name at any depth, with a slash relative to the session's folder, `//` from the root of the
 * file system; `*` within a name, `**` across folders. A pattern that matches a folder matches everything in it.
 */
export function isMatch(pattern: string, path: string): boolean {
  const { isAbsolute, escapes, segments } = read(path);
  if (escapes || path.startsWith('~')) return false;
  if (pattern.startsWith('//')) return isAbsolute && within(segmentsOf(pattern), segments);
  if (isAbsolute) return false;
  return within(anchored(pattern), segments);
}

/** The same for deny and ask rules, conservatively: of a path outside of the session's folder any suffix may match. */
export function mayMatch(pattern: string, path: string): boolean {
  const { isAbsolute, escapes, segments } = read(path);
  if (pattern.startsWith('//')) return !isAbsolute || within(segmentsOf(pattern), segments);
  const wanted = anchored(pattern.replace(/^~\//, ''));
  if (!isAbsolute && !escapes) return within(wanted, segments);
  return segments.some((_, index) => within(wanted, segments.slice(index)));
}

function read(path: string): Path {
  const segments: string[] = [];
  let escapes = false;
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) escapes = true;
  }
  return { isAbsolute: path.startsWith('/'), escapes: escapes && !path.startsWith('/'), segments };
}

function anchored(pattern: string): readonly string[] {
  const inner = pattern.replace(/\/+$/, '');
  return inner.includes('/') ? segmentsOf(inner) : ['**', inner];
}

const segmentsOf = (pattern: string): readonly string[] => pattern.split('/').filter((segment) => segment !== '' && segment !== '.');

/** Whether the pattern matches the path or a folder that contains it. Linear in pattern length times path length. */
function within(pattern: readonly string[], path: readonly string[]): boolean {
  let reached = new Set([0]);
  for (let depth = 0; ; depth += 1) {
    for (const at of reached) if (pattern[at] === '**') reached.add(at + 1);
    if (reached.has(pattern.length)) return true;
    const segment = path[depth];
    if (segment === undefined) return false;
    const next = new Set<number>();
    for (const at of reached) {
      const wanted = pattern[at];
      if (wanted === '**') next.add(at);
      else if (wanted !== undefined && wildcard(wanted, segment)) next.add(at + 1);
    }
    reached = next;
  }
}
