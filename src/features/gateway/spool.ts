import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import type { AnswerHead } from './answer-reader.js';

/** What is needed to record an answer. */
export interface PassedRequest {
  readonly tenantId: string;
  /** For whom it was made. */
  readonly userId: string;
  /** With which token; absent: with none. */
  readonly tokenId?: string;
  readonly sessionId: string;
  readonly requestId: string;
  /** Uuid of the last message of the request. */
  readonly after: string | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** It is part of a message thread: its answer can be continued by its id. */
  readonly isThreaded?: true;
  /** The digest of its conversation, which the client names by nothing else. */
  readonly history?: string;
}

/** A spool that a process has left behind. */
export interface LeftSpool {
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
  #isOff = false;

  /** `onFailure`: called once, when nothing more can be written. */
  static open(folder: string, request: PassedRequest, onFailure: (error: unknown) => void): Spool {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = path.join(folder, [request.requestId, process.pid, hostname()].join('.'));
    const spool = new Spool(file, openSync(file, 'wx', 0o600), onFailure);
    spool.#line(request);
    return spool;
  }

  private constructor(
    private readonly file: string,
    private readonly descriptor: number,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  begin(head: AnswerHead): void {
    this.#line(head);
  }

  write(bytes: Buffer): void {
    if (this.#isOff) return;
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(this.descriptor, bytes, at);
    } catch (error) {
      this.#isOff = true; // a disk that is full does not touch the answer
      this.onFailure(error);
    }
  }

  /** `isRecorded`: the file is not needed any more. */
  close(isRecorded: boolean): void {
    closeSync(this.descriptor);
    if (isRecorded) removeSpool(this.file);
  }

  #line(value: object): void {
    this.write(Buffer.from(`${JSON.stringify(value)}\n`));
  }
}

/** The files of processes that have ended, and those which this one has closed without a record. `isOpen`: this process still writes it. */
export function leftSpools(folder: string, isOpen: (requestId: string) => boolean): readonly string[] {
  const left = namesIn(folder).filter((name) => {
    const [requestId = '', pid = ''] = name.split('.');
    if (hostOf(name) !== hostname()) return false; // its processes cannot be seen from here
    return Number(pid) === process.pid ? !isOpen(requestId) : !isRunning(Number(pid));
  });
  return left.map((name) => path.join(folder, name));
}

/** How many files other hosts have in this folder, which only they can record. */
export const spoolsOfOthers = (folder: string): number => namesIn(folder).filter((name) => hostOf(name) !== hostname()).length;

/** It may have been removed already. */
export const removeSpool = (file: string): void => rmSync(file, { force: true });

const hostOf = (name: string): string => name.split('.').slice(2).join('.');

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
export function readSpool(file: string): LeftSpool | null {
  try {
    const all = readFileSync(file);
    const first = all.indexOf('\n');
    if (first === -1) return null;
    const request = JSON.parse(all.toString('utf8', 0, first)) as PassedRequest;
    const second = all.indexOf('\n', first + 1);
    if (second === -1) return { request, head: null, bytes: Buffer.alloc(0) };
    return { request, head: JSON.parse(all.toString('utf8', first + 1, second)) as AnswerHead, bytes: all.subarray(second + 1) };
  } catch {
    return null; // another process has taken it
  }
}
