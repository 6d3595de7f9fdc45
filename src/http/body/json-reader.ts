import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type JsonLimits, parseJson, parseTranscript } from './json-text.js';
import type { JsonCheckRequest, JsonCheckResult } from './json.thread.js';

/** Bodies up to this size are parsed on the event loop: it takes a few milliseconds. */
export const LARGE_BODY_BYTES = 128 * 1024;

export interface JsonBody {
  readonly value: unknown;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string;
}

/** The settings that `jsonLimits` needs. */
export type JsonSettings = Pick<Settings, 'MAX_JSON_DEPTH' | 'MAX_JSON_VALUES' | 'MAX_JSON_TEXT_BYTES'>;

interface Pending {
  readonly resolve: (result: JsonCheckResult) => void;
  readonly reject: (error: unknown) => void;
}

/** The thread's heap: a body of MAX_JSON_VALUES values needs a fraction of it. */
const THREAD_MEMORY_MB = 1_024;

/**
 * Reads JSON bodies. A large one is hashed, checked and parsed in a worker thread first, so that an invalid or hostile body never blocks the event loop; one that
 * passes is parsed again here, which is faster than copying the parsed value between threads.
 */
@Injectable()
export class JsonReader implements OnApplicationShutdown {
  readonly #limits: JsonLimits;
  readonly #pending = new Map<number, Pending>();
  #thread: Worker | null = null;
  #lastId = 0;

  constructor(@Inject(SETTINGS) settings: JsonSettings) {
    this.#limits = jsonLimits(settings);
  }

  /** `bytes` must not be used afterwards: a large body is transferred to the thread. */
  async read(bytes: Buffer): Promise<JsonBody> {
    if (bytes.length <= LARGE_BODY_BYTES) return { value: parseJson(bytes, this.#limits), sha256: createHash('sha256').update(bytes).digest('hex') };
    const { bytes: checked, sha256 } = await this.#checked(bytes, this.#limits);
    return { value: await parseChecked(checked), sha256 };
  }

  /** The value of a line, or of what `subject` names, under its own limits. As with `read`, `bytes` must not be used afterwards. */
  async value(bytes: Buffer, limits: JsonLimits, subject: string): Promise<unknown> {
    if (bytes.length <= LARGE_BODY_BYTES) return parseJson(bytes, limits, subject);
    return parseChecked((await this.#checked(bytes, limits, subject)).bytes, limits.isTranscript);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#thread?.terminate();
  }

  async #checked(bytes: Buffer, limits: JsonLimits, subject?: string): Promise<{ readonly bytes: Buffer; readonly sha256: string }> {
    const result = await this.#check(bytes, limits, subject);
    if ('problem' in result) throw new DomainError(result.problem.code, result.problem.message, result.problem.faults, result.problem.details);
    return { bytes: Buffer.from(result.bytes.buffer, result.bytes.byteOffset, result.bytes.byteLength), sha256: result.sha256 };
  }

  #check(bytes: Buffer, limits: JsonLimits, subject: string | undefined): Promise<JsonCheckResult> {
    return new Promise((resolve, reject) => {
      const id = (this.#lastId += 1);
      this.#pending.set(id, { resolve, reject });
      const request: JsonCheckRequest = { id, bytes, limits, ...(subject === undefined ? {} : { subject }) };
      this.#started().postMessage(request, [bytes.buffer as ArrayBuffer]);
    });
  }

  #started(): Worker {
    if (this.#thread) return this.#thread;
    const thread = new Worker(new URL('./json.thread.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MB },
      env: {},
      execArgv: [],
    });
    this.#thread = thread;
    thread.unref();
    thread.on('message', (result: JsonCheckResult) => {
      this.#pending.get(result.id)?.resolve(result);
      this.#pending.delete(result.id);
    });
    thread.on('error', () => {});
    thread.on('exit', () => {
      this.#thread = null;
      const lost = [...this.#pending.values()];
      this.#pending.clear();
      for (const { reject } of lost) reject(new DomainError('unavailable', 'The body could not be parsed in time; try again.', [], { retryAfter: 1 }));
    });
    return thread;
  }
}

/** Parses JSON that has been checked before. Of a large text, decoding and parsing take milliseconds each: other work runs between and after them. */
export async function parseChecked(bytes: Buffer, isTranscript = false): Promise<unknown> {
  const parse = isTranscript ? parseTranscript : (JSON.parse as (text: string) => unknown);
  if (bytes.length <= LARGE_BODY_BYTES) return parse(bytes.toString());
  const text = bytes.toString();
  await setImmediate();
  const value = parse(text);
  await setImmediate();
  return value;
}

export function jsonLimits(settings: JsonSettings): JsonLimits {
  return { maxDepth: settings.MAX_JSON_DEPTH, maxValues: settings.MAX_JSON_VALUES, maxTextBytes: settings.MAX_JSON_TEXT_BYTES };
}
