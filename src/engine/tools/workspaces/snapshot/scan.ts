import { createHash } from 'node:crypto';
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { LINK_MODE, MOST_SKIPPED, type SkipReason } from '../../../../../packages/protocol/events/events.js';
import { codeOf, Descent, inFolderOf } from './descent.js';
import { decoded, isIgnored, linkTarget } from './recordable.js';
import { Room } from './room.js';
import type { KnownFile, Scanned, Skipped, Task, TaskInput } from './task.js';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

const CHUNK_BYTES = 1024 * 1024;

type Hashed = Pick<KnownFile, 'sha256' | 'size'>;

type ScanTask = Extract<Task, { kind: 'scan' }>;

/** What a scan starts from. */
export interface Before {
  readonly files: ReadonlyMap<string, KnownFile>;
  /** Paths of files that are read again. */
  readonly unsure: ReadonlySet<string>;
  readonly recorded: ReadonlyMap<string, number>;
}

export interface Found extends Omit<Scanned, 'files' | 'gone'> {
  readonly files: ReadonlyMap<string, KnownFile>;
}

/** Lists the files of a session's folder. A file with the signature that it had before is not read again, and is the same object. Within the limits, recorded files come first. */
export function scan({ root, account }: Pick<TaskInput, 'root' | 'account'>, { limits, tick }: Pick<ScanTask, 'limits' | 'tick'>, before: Before): Found {
  const { recorded } = before;
  const files = new Map<string, KnownFile>();
  const unsure: string[] = [];
  const skipped: Skipped[] = [];
  const room = new Room(limits, recorded);
  let hashed = 0;

  const skip = (where: string, reason: SkipReason): void => {
    if (skipped.length < MOST_SKIPPED) skipped.push({ path: where, reason });
  };

  const add = (where: string, mode: number, stats: BigIntStats, read: () => Hashed): void => {
    const full = room.isFullFor(where, Number(stats.size));
    if (full === 'waits') return;
    if (full) return skip(where, full);
    const signature = `${stats.mtimeNs}:${stats.ctimeNs}:${stats.size}:${stats.ino}`;
    const old = before.files.get(where);
    const isKnown = old?.signature === signature && old.mode === mode && !before.unsure.has(where);
    if (!isKnown) hashed += 1;
    const file = isKnown ? old : sameOr(old, { path: where, mode, ...read(), signature });
    room.take(file.size);
    files.set(where, file);
    if (stats.ctimeNs >= tick) unsure.push(where);
  };

  const visit = (folder: Descent, name: string, where: string, depth: number): void => {
    const stats = lstatSync(folder.at(name), { bigint: true });
    if (account && Number(stats.uid) !== account.uid) return skip(where, 'foreign');
    if (stats.isDirectory()) {
      if (depth >= limits.depth) return skip(where, 'too_deep');
      const inner = folder.enter(name);
      try {
        return list(inner, `${where}/`, depth + 1);
      } finally {
        inner.close();
      }
    }
    if (stats.isSymbolicLink()) {
      const target = linkTarget(where, readlinkSync(folder.at(name), { encoding: 'buffer' }));
      if (target === null) return skip(where, 'link_outside');
      return add(where, LINK_MODE, stats, () => ({ sha256: createHash('sha256').update(target).digest('hex'), size: Buffer.byteLength(target) }));
    }
    if (!stats.isFile()) return skip(where, 'special');
    if (Number(stats.size) > limits.fileBytes) return skip(where, 'too_large');
    add(where, Number(stats.mode & 0o777n), stats, () => hashOf(folder.at(name), limits.fileBytes));
  };

  const list = (folder: Descent, prefix: string, depth: number): void => {
    for (const bytesOfName of readdirSync(folder.listed, { encoding: 'buffer' })) {
      const name = decoded(bytesOfName);
      if (name === null) {
        skip(prefix + bytesOfName.toString('utf8'), 'name');
        continue;
      }
      const where = prefix + name;
      if (isIgnored(name, where, limits.ignored)) continue;
      attempt(where, () => visit(folder, name, where, depth));
    }
  };

  const attempt = (where: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (error instanceof TooLarge) skip(where, 'too_large');
      else if (isUnreadable(error)) skip(where, 'unreadable');
      else if (!isGone(error)) throw error;
    }
  };

  const top = Descent.root(root);
  try {
    list(top, '', 0);
  } finally {
    top.close();
  }
  for (const where of room.release()) {
    const visited = (folder: Descent, name: string): void => visit(folder, name, where, where.split('/').length - 1);
    attempt(where, () => inFolderOf(root, where, (folder, name) => folder.enter(name), visited));
  }
  return { files, unsure, skipped, hashed };
}

const sameOr = (old: KnownFile | undefined, now: KnownFile): KnownFile =>
  old?.signature === now.signature && old.mode === now.mode && old.sha256 === now.sha256 && old.size === now.size ? old : now;

/** A file that grows while it is read. */
class TooLarge extends Error {}

function hashOf(at: string, most: number): Hashed {
  const descriptor = openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw Object.assign(new Error('no file any longer'), { code: 'ENOENT' });
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let size = 0;
    for (;;) {
      const count = readSync(descriptor, chunk);
      if (count === 0) return { sha256: hash.digest('hex'), size };
      if ((size += count) > most) throw new TooLarge();
      hash.update(chunk.subarray(0, count));
    }
  } finally {
    closeSync(descriptor);
  }
}

/** It was deleted or replaced since its name was read. */
const isGone = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String(codeOf(error)));

const isUnreadable = (error: unknown): boolean => ['EACCES', 'EPERM', 'EIO', 'ENAMETOOLONG'].includes(String(codeOf(error)));
