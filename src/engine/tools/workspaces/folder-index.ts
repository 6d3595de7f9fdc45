import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { KnownFile } from './snapshot/task.js';

/** What was known of a folder when it was last looked at. */
export interface FolderIndex {
  /** The version that it held; undefined: not known. */
  readonly version: string | null | undefined;
  /** Files whose content is known by their signature. */
  readonly files: readonly KnownFile[];
}

const FORMAT = 1;

const EMPTY: FolderIndex = { version: undefined, files: [] };

/** A file that is missing, was cut short or is of another format says nothing: every file of the folder is read again. */
export async function readIndex(file: string): Promise<FolderIndex> {
  try {
    const { format, version, files } = JSON.parse(await readFile(file, 'utf8')) as { format: unknown } & { [K in keyof FolderIndex]: FolderIndex[K] };
    return format === FORMAT ? { version, files } : EMPTY;
  } catch {
    return EMPTY;
  }
}

/** `files`: those whose signatures tell whether they change. Returns the signature of what was written. */
export async function writeIndex(file: string, version: string | null, files: readonly KnownFile[]): Promise<string> {
  const temporary = `${file}.${randomUUID()}`;
  try {
    await writeFile(temporary, JSON.stringify({ format: FORMAT, version, files }), { mode: 0o600 });
    const signature = await signatureOf(temporary);
    await rename(temporary, file);
    return signature ?? '';
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Tells whether the file is the same; null: there is none. A new index is a new file, whose name is changed later. */
export async function signatureOf(file: string): Promise<string | null> {
  const found = await stat(file, { bigint: true }).catch(() => null);
  return found && `${found.mtimeNs}:${found.size}:${found.ino}`;
}

/** The time of the file system that holds `file`, nanoseconds: its clock is coarser than the one of the process, and may be another machine's. */
export async function tickOf(file: string): Promise<bigint> {
  const probe = `${file}.tick`;
  const handle = await open(probe, 'a', 0o600);
  try {
    await handle.utimes(new Date(), new Date()); // needs no block of a full disk; it is the time of the change that is read
  } finally {
    await handle.close();
  }
  return (await stat(probe, { bigint: true })).ctimeNs;
}
