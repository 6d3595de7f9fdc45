import { execFile } from 'node:child_process';
import { chmodSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One way, from a program to us. */
export interface Pipe {
  /** For the program, which can open it again by a name such as /dev/stderr; to be closed here once the program has it. */
  readonly writer: number;
  /** Ends when nobody has the other end any more. */
  readonly reader: Socket;
}

/** Node's own pipes are sockets: those cannot be opened by name, and each output has one of its own, so that nobody knows what came first. */
export async function openPipe(): Promise<Pipe> {
  const folder = await mkdtemp(path.join(tmpdir(), 'verbatim-output-'));
  try {
    const name = path.join(folder, 'pipe');
    await run('mkfifo', [name]);
    chmodSync(name, 0o666); // only who is handed it gets at it: the folder is closed to others, and about to go
    const reading = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(name, constants.O_WRONLY);
    return { writer, reader: new Socket({ fd: reading, readable: true, writable: false }) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
