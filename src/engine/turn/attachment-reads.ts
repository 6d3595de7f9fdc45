import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { abortable } from '../../platform/async/abortable.js';
import { type Attachment, OMITTED } from '../../../packages/protocol/message/attachment.js';
import { Telemetry } from '../../ports/index.js';

export interface Read<T> {
  readonly items: readonly T[];
  /** For readers: that the source was skipped, and why; null when it was read. */
  readonly omission: Attachment | null;
}

const NOTHING = { items: [], omission: null };

/** Reads sources of attachments: one that fails or takes too long is skipped, logged and counted, and readers are told. */
@Injectable()
export class AttachmentReads {
  readonly #log = new Logger(AttachmentReads.name);

  constructor(
    private readonly telemetry: Telemetry,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'ATTACHMENT_TIMEOUT_MS'>,
  ) {}

  async read<T>(
    source: { readonly name: string; readonly timeoutMs?: number },
    work: (stop: AbortSignal) => Promise<readonly T[]>,
    signal: AbortSignal,
  ): Promise<Read<T>> {
    const { name, timeoutMs: limit = this.settings.ATTACHMENT_TIMEOUT_MS } = source;
    // Not AbortSignal.timeout, of which each read would leave one to run out.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), limit);
    const stop = AbortSignal.any([signal, late.signal]);
    try {
      const items = await abortable(work(stop), stop);
      if (items.length > 0) this.telemetry.count('attachments', { provider: name, outcome: 'given' }, items.length);
      return { items, omission: null };
    } catch (error) {
      if (signal.aborted) return NOTHING;
      this.telemetry.count('attachments', { provider: name, outcome: late.signal.aborted ? 'late' : 'failed' });
      const reason = late.signal.aborted ? `timeout after ${limit} ms` : String(error);
      this.#log.warn({ msg: 'attachments of a provider were omitted', provider: name, reason });
      // The reason of a failure may name places of the server.
      return { items: [], omission: { type: OMITTED, provider: name, reason: late.signal.aborted ? reason : 'it failed' } };
    } finally {
      clearTimeout(timer);
    }
  }
}
