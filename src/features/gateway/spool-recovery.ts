import path from 'node:path';
import { setImmediate as others } from 'node:timers/promises';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { AnswerReader, CUT, type Outcome } from './answer-reader.js';
import { PieceDecoder } from './decoding.js';
import { Exchanges } from './exchanges.js';
import { type LeftSpool, leftSpools, readSpool, removeSpool, spoolsOfOthers } from './spool.js';

const LOST = { code: 'connection_error', message: 'The server ended before the model API answered.' };

/** How often it is looked for what another process has left behind. */
const INTERVAL_MS = 30_000;

/** Bytes that are read before others have the event loop. */
const PIECE = 64 * 1024;

/** The requests whose answers this process passes on, of all servers in it. */
const OPEN = new Set<string>();

/** Records what had come of answers when the process that passed them on ended, or could not reach the database. */
@Injectable()
export class SpoolRecovery implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #log = new Logger('Gateway');
  readonly #folder: string;
  /** Files whose sessions are in another database. */
  readonly #foreign = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly exchanges: Exchanges,
    @Inject(SETTINGS) settings: Pick<Settings, 'DATA_DIR'>,
  ) {
    this.#folder = path.join(settings.DATA_DIR, 'gateway');
  }

  opened(requestId: string): void {
    OPEN.add(requestId);
  }

  closed(requestId: string): void {
    OPEN.delete(requestId);
  }

  async onApplicationBootstrap(): Promise<void> {
    this.#timer = setInterval(() => this.#start(), INTERVAL_MS).unref();
    const others = spoolsOfOthers(this.#folder);
    if (others > 0)
      this.#log.warn({
        msg: 'DATA_DIR has answers of processes of other hosts; only a process with the same host name records them.',
        folder: this.#folder,
        files: others,
      });
    this.#start();
    await this.#running;
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#running;
  }

  #start(): void {
    this.#running = this.#running
      .then(() => this.#recover())
      .catch((error: unknown) => this.#log.warn({ msg: 'What came of answers could not be recovered; it is tried again.', error: String(error) }));
  }

  async #recover(): Promise<void> {
    for (const file of leftSpools(this.#folder, (requestId) => OPEN.has(requestId))) {
      const left = this.#foreign.has(file) ? null : readSpool(file);
      if (left !== null) await this.#recoverOne(file, left);
    }
  }

  async #recoverOne(file: string, left: LeftSpool): Promise<void> {
    try {
      await this.exchanges.end(left.request, await outcomeOf(left), left.head?.providerRequestId ?? null);
      removeSpool(file);
    } catch (error) {
      const code = error instanceof DomainError ? error.code : null;
      if (code === 'session_erased') removeSpool(file);
      if (code === 'session_not_found') this.#foreign.add(file); // it is of another database
      if (code === 'session_erased' || code === 'session_not_found') return;
      this.#log.warn({ msg: 'What came of an answer could not be recorded; it is tried again.', requestId: left.request.requestId, error: String(error) });
    }
  }
}

async function outcomeOf({ head, bytes }: LeftSpool): Promise<Outcome> {
  if (head === null) return { answer: null, failure: LOST };
  const reader = new AnswerReader(head);
  const decoder = new PieceDecoder(head.encoding);
  for (let at = 0; at < bytes.length && !reader.isStopped; at += PIECE) {
    const isReadable = await decoder.decode(bytes.subarray(at, at + PIECE), (part) => void reader.take(part));
    if (!isReadable) reader.stop(`it is not valid ${head.encoding}.`);
    await others();
  }
  decoder.close();
  return reader.end({ code: 'stream_cut', message: CUT });
}
