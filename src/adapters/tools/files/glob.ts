import path from 'node:path';
import type { PathResolver } from './path-resolver.js';
import { FileError } from './file-error.js';
import type { GlobInput } from './inputs.js';
import { Listing } from './listing.js';
import { names } from './names.js';
import type { Confines, Done } from './operation.js';

/** Names of files that fit a pattern. */
export function glob({ pattern, path: asked = '.' }: GlobInput, beneath: PathResolver, { root, characters, maxEntries }: Confines): Done {
  const folder = beneath.folder(asked);
  const wanted = pattern.startsWith(`${root}/`) ? path.relative(path.join(root, folder), pattern) : pattern;
  if (path.isAbsolute(wanted) || wanted.startsWith('..')) throw new FileError(`${pattern} names nothing inside the folder to look in.`);
  const { found, more } = names(wanted, folder || '.', beneath, maxEntries);
  const listing = new Listing(characters);
  for (const name of found) if (!listing.add(path.join(folder, name))) break;
  const text = listing.text('(no file fits)', `[${found.length - listing.length} more; look for fewer at a time]`);
  const notice = more ? `\n[Only the first ${maxEntries} files and folders were looked at; look in a folder of them]` : '';
  return { text: `${text}${notice}`, result: { numFiles: found.length, shown: listing.length, more } };
}
