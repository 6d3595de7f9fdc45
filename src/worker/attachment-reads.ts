import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/env.js';
import { abortable } from '../core/async/abortable.js';
import { Telemetry } from '../core/ports.js';

/** Reads sources of attachments: one that fails or takes too long is skipped, logged and counted. */
@Injectable()
export class AttachmentReads {
  readonly #log = new Logger(AttachmentReads.name);

  constructor(
    private readonly telemetry: Telemetry,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'ATTACHMENT_TIMEOUT_MS'>,
  ) {}

  /** Empty when the source is skipped, or `signal` has aborted. */
  async read<T>(
    source: { readonly name: string; readonly timeoutMs?: number },
    work: (stop: AbortSignal) => Promise<readonly T[]>,
    signal: AbortSignal,
  ): Promise<readonly T[]> {
    const { name, timeoutMs: limit = this.settings.ATTACHMENT_TIMEOUT_MS } = source;
    // Not AbortSignal.timeout, of which each read would leave one to run out.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), limit);
    const stop = AbortSignal.any([signal, late.signal]);
    try {
      const read = await abortable(work(stop), stop);
      if (read.length > 0) this.telemetry.count('attachments', { provider: name, outcome: 'given' }, read.length);
      return read;
    } catch (error) {
      if (signal.aborted) return [];
      this.telemetry.count('attachments', { provider: name, outcome: late.signal.aborted ? 'late' : 'failed' });
      const reason = late.signal.aborted ? `timeout after ${limit} ms` : String(error);
      this.#log.warn({ msg: 'attachments of a provider were omitted', provider: name, reason });
      return [];
    } finally {
      clearTimeout(timer);
    }
  }
}
