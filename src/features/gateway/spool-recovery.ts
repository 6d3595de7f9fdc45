import { once } from 'node:events';
import path from 'node:path';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { AnswerReader, CUT, type Outcome } from './answer-reader.js';
import { decoderOf } from './decoding.js';
import { Exchanges } from './exchanges.js';
import { type LeftSpool, leftSpools, removeSpool } from './spool.js';

const LOST = { code: 'connection_error', message: 'The server ended before the model API answered.' };

/** How often it is looked for what another process has left behind. */
const INTERVAL_MS = 30_000;

/** The requests whose answers this process passes on, of all servers in it. */
const OPEN = new Set<string>();

/** Records what had come of answers when the process that passed them on ended, or could not reach the database. */
@Injectable()
export class SpoolRecovery implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #log = new Logger('Gateway');
  readonly #folder: string;
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
    this.#start();
    await this.#running;
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#running;
  }

  #start(): void {
    this.#running = this.#running.then(() => this.#recover());
  }

  async #recover(): Promise<void> {
    for (const left of leftSpools(this.#folder, (requestId) => OPEN.has(requestId))) {
      try {
        await this.exchanges.end(left.request, await outcomeOf(left), left.head?.providerRequestId ?? null);
        removeSpool(left);
      } catch (error) {
        const code = error instanceof DomainError ? error.code : null;
        if (code === 'session_erased') removeSpool(left);
        if (code === 'session_erased' || code === 'session_not_found') continue; // not found: it is of another database
        this.#log.warn({ msg: 'What came of an answer could not be recorded; it is tried again.', requestId: left.request.requestId, error: String(error) });
      }
    }
  }
}

async function outcomeOf({ head, bytes }: LeftSpool): Promise<Outcome> {
  if (head === null) return { answer: null, failure: LOST };
  const reader = new AnswerReader(head);
  const decoder = decoderOf(head.encoding);
  if (!decoder) reader.take(bytes);
  else {
    decoder.on('data', (part: Buffer) => void reader.take(part));
    decoder.end(bytes);
    await once(decoder, 'close').catch(() => undefined); // it was cut
  }
  return reader.end({ code: 'stream_cut', message: CUT });
}
