import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import type { AnswerHead } from './answer-reader.js';

/** What is needed to record an answer. */
export interface PassedRequest {
  readonly tenantId: string;
  /** For whom it was made. */
  readonly userId: string;
  readonly sessionId: string;
  readonly requestId: string;
  /** Uuid of the last message of the request. */
  readonly after: string | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** A spool that a process has left behind. */
export interface LeftSpool {
  readonly file: string;
  readonly request: PassedRequest;
  /** Null: no answer has begun. */
  readonly head: AnswerHead | null;
  readonly bytes: Buffer;
}

/**
 * What has come of an answer, in a file: each piece is written before it goes to the client, so that it outlives this process, whatever ends it. Writing to the cache of the operating system takes
 * microseconds, which holds no stream. The file is removed once the answer is in the log.
 */
export class Spool {
  static open(folder: string, request: PassedRequest): Spool {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = path.join(folder, [request.requestId, process.pid, hostname()].join('.'));
    const spool = new Spool(file, openSync(file, 'wx', 0o600));
    spool.#line(request);
    return spool;
  }

  private constructor(
    private readonly file: string,
    private readonly descriptor: number,
  ) {}

  begin(head: AnswerHead): void {
    this.#line(head);
  }

  write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) at += writeSync(this.descriptor, bytes, at);
  }

  /** `isRecorded`: the file is not needed any more. */
  close(isRecorded: boolean): void {
    closeSync(this.descriptor);
    if (isRecorded) unlinkSync(this.file);
  }

  #line(value: object): void {
    this.write(Buffer.from(`${JSON.stringify(value)}\n`));
  }
}

/** The spools of processes that have ended, and those which this one has closed without a record. `isOpen`: this process still writes it. */
export function leftSpools(folder: string, isOpen: (requestId: string) => boolean): readonly LeftSpool[] {
  return namesIn(folder).flatMap((name) => {
    const [requestId = '', pid = '', ...host] = name.split('.');
    if (host.join('.') !== hostname()) return []; // its processes cannot be seen from here
    const isOwn = Number(pid) === process.pid;
    if (isOwn ? isOpen(requestId) : isRunning(Number(pid))) return [];
    return read(path.join(folder, name)) ?? [];
  });
}

export const removeSpool = ({ file }: LeftSpool): void => unlinkSync(file);

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nothing was spooled here
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Null: the process ended before the first line was complete, and so before anything was sent. */
function read(file: string): LeftSpool | null {
  try {
    const all = readFileSync(file);
    const first = all.indexOf('\n');
    if (first === -1) return null;
    const request = JSON.parse(all.toString('utf8', 0, first)) as PassedRequest;
    const second = all.indexOf('\n', first + 1);
    if (second === -1) return { file, request, head: null, bytes: Buffer.alloc(0) };
    return { file, request, head: JSON.parse(all.toString('utf8', first + 1, second)) as AnswerHead, bytes: all.subarray(second + 1) };
  } catch {
    return null; // another process has taken it
  }
}
