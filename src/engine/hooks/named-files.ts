import { statSync } from 'node:fs';
import type { Hook } from './definition.js';

/** An absolute path at the beginning of a word, up to where the shell would end it. */
const ABSOLUTE = /(?<=^|[\s'"=(;|&<])\/[^\s'"`;|&()<>$*?]+/g;

/**
 * What a command hook has to read: the folder of its plugin, and the files that its command names by absolute paths, such as its script. Folders that it names are left out:
 * they may hold more than the command needs.
 */
export function filesOf(hook: Hook): readonly string[] {
  if (hook.type !== 'command') return [];
  const named = new Set(hook.command.match(ABSOLUTE) ?? []);
  return [...hook.readable, ...[...named].filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())];
}
