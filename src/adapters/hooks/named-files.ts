import { statSync } from 'node:fs';

/** An absolute path at the beginning of a word, up to where the shell would end it. */
const ABSOLUTE = /(?<=^|[\s'"=(;|&<])\/[^\s'"`;|&()<>$*?]+/g;

/** The files that a shell command names by absolute paths, such as the script it runs. Folders are left out: they may hold more than the command needs. */
export function namedFiles(command: string): readonly string[] {
  const named = new Set(command.match(ABSOLUTE) ?? []);
  return [...named].filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}
