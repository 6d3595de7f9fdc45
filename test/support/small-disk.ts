import { execFile } from 'node:child_process';
import { chmod, mkdir, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ROOM = '4g';

/** A file system in memory that can be made full, without filling the machine's own disk or memory. */
export class SmallDisk {
  private constructor(readonly directory: string) {}

  /** Null where this process may not mount. */
  static async mount(directory: string): Promise<SmallDisk | null> {
    if (process.getuid?.() !== 0) return null;
    await mkdir(directory, { recursive: true });
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${ROOM},mode=0777`, 'verbatim-faults', directory]);
    } catch {
      return null;
    }
    await chmod(directory, 0o777);
    return new SmallDisk(directory);
  }

  /** Leaves `spareBytes`, or a little more when files grow at the same time. */
  async fill(spareBytes: number): Promise<void> {
    for (let spare = Math.max(spareBytes, 65_536); ; spare *= 2) {
      const { blocks, bfree, bsize } = await statfs(this.directory);
      const filled = await this.#resize(String((blocks - bfree) * bsize + spare)).then(
        () => true,
        () => false, // it has grown past that size since
      );
      if (filled) return;
    }
  }

  async empty(): Promise<void> {
    await this.#resize(ROOM);
  }

  /** Also while a process still has a file open. */
  async unmount(): Promise<void> {
    await run('umount', ['--lazy', this.directory]);
  }

  async #resize(size: string): Promise<void> {
    await run('mount', ['-o', `remount,size=${size}`, this.directory]);
  }
}
