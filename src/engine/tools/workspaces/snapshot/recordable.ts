import path from 'node:path';
import type { SkipReason } from '../../../../../packages/protocol/events/events.js';
import { TEMPORARY } from './descent.js';
import type { FolderLimits } from './task.js';

/** What can be a file of the log in a session's folder: what a scan records, and all that may be written there. */

/** Bytes of a name (NAME_MAX), and of the target of a link (PATH_MAX without its end), on all systems that the server runs on. */
const NAME_BYTES = 255;
export const LINK_BYTES = 4_095;

/** Null: the bytes are no UTF-8, and cannot be a text of the log. */
export function decoded(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : null;
}

/** The target of a link at `where`; null: it is none, is no text, or leads out of the folder. */
export function linkTarget(where: string, bytes: Buffer): string | null {
  const target = bytes.length <= LINK_BYTES ? decoded(bytes) : null;
  return target === null || target === '' || target.includes('\0') || leadsOut(where, target) ? null : target;
}

/** Whether a scan passes over an entry. `where`: its path. */
export const isIgnored = (name: string, where: string, ignored: readonly string[]): boolean =>
  ignored.includes(name) || ignored.includes(where) || TEMPORARY.test(name);

/** Why a scan would not find a file of this path, or it could not be made; null: it would, and it could. */
export function unrecordable(where: string, { depth, ignored }: Pick<FolderLimits, 'depth' | 'ignored'>): SkipReason | null {
  const names = where.split('/');
  if (names.length - 1 > depth) return 'too_deep';
  let end = -1;
  for (const name of names) {
    end += name.length + 1;
    if (Buffer.byteLength(name) > NAME_BYTES || isIgnored(name, where.slice(0, end), ignored)) return 'name';
  }
  return null;
}

function leadsOut(where: string, target: string): boolean {
  if (path.posix.isAbsolute(target)) return true;
  const led = path.posix.join(path.posix.dirname(where), target);
  return led === '..' || led.startsWith('../');
}
