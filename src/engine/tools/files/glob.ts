import path from 'node:path';
import type { PathResolver } from './path-resolver.js';
import { FileError } from './file-error.js';
import type { GlobInput } from './inputs.js';
import { Listing } from './listing.js';
import { names } from './names.js';
import type { FileLimits, OperationResult } from './operation.js';

/** Lists the files that match a pattern. */
export function glob({ pattern, path: asked = '.' }: GlobInput, resolver: PathResolver, { characters, maxEntries }: FileLimits): OperationResult {
  const folder = resolver.folder(asked);
  const base = resolver.absolute(folder);
  const wanted = pattern.startsWith(`${resolver.absolute('')}/`) ? path.relative(base, pattern) : pattern;
  if (path.isAbsolute(wanted) || wanted.startsWith('..')) throw new FileError(`${pattern} is outside the folder that is searched.`);
  const { found, more } = names(wanted, folder || '.', resolver, maxEntries);
  const listing = new Listing(characters);
  for (const name of found) if (!listing.add(resolver.shown(path.join(folder, name)))) break;
  const text = listing.text('(no files match)', `[${found.length - listing.length} more files; use a narrower pattern]`);
  const notice = more ? `\n[Only the first ${maxEntries} files and folders were searched; search a subfolder]` : '';
  return { text: `${text}${notice}`, result: { numFiles: found.length, shown: listing.length, more } };
}
