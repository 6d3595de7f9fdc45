import { execFile } from 'node:child_process';
import { chmodSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A one-way pipe from a program to this process. */
export interface Pipe {
  /** For the program, which can reopen it by a name such as /dev/stderr. To be closed here after the spawn. */
  readonly writer: number;
  /** Ends when every writer is closed. */
  readonly reader: Socket;
}

/** Node's own pipes are sockets, which cannot be reopened by name; and a socket per output would lose the order between them. */
export async function openPipe(): Promise<Pipe> {
  const folder = await mkdtemp(path.join(tmpdir(), 'verbatim-output-'));
  try {
    const name = path.join(folder, 'pipe');
    await run('mkfifo', [name]);
    chmodSync(name, 0o666); // the folder is private and removed at once, so only the inherited descriptor gives access
    const reading = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(name, constants.O_WRONLY);
    return { writer, reader: new Socket({ fd: reading, readable: true, writable: false }) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
