import { open } from 'node:fs/promises';
import { AnchorFile } from '../../../ports/index.js';

/** More than any line has. */
const TAIL_BYTES = 64 * 1024;

/** A file with one JSON object per line: `{"time":…,"checkpoint":…}`. Only ever appended to. */
export class JsonLinesFile extends AnchorFile {
  override readonly isSet: boolean;

  constructor(private readonly path: string | undefined) {
    super();
    this.isSet = path !== undefined;
  }

  override async newest(): Promise<string | null> {
    if (this.path === undefined) return null;
    const file = await open(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (!file) return null;
    try {
      const { size } = await file.stat();
      const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
      await file.read(tail, 0, tail.length, size - tail.length);
      const text = tail.toString('utf8');
      // A line without its end is what a crash left of an append.
      const line = text
        .slice(0, text.lastIndexOf('\n') + 1)
        .trimEnd()
        .split('\n')
        .at(-1);
      return line ? (JSON.parse(line) as { readonly checkpoint: string }).checkpoint : null;
    } finally {
      await file.close();
    }
  }

  override async append(note: string, time: string): Promise<void> {
    if (this.path === undefined) return;
    const file = await open(this.path, 'a+');
    try {
      const { size } = await file.stat();
      const last = Buffer.alloc(1);
      if (size > 0) await file.read(last, 0, 1, size - 1);
      const isWhole = size === 0 || last.toString() === '\n';
      await file.appendFile(`${isWhole ? '' : '\n'}${JSON.stringify({ time, checkpoint: note })}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}
