import { Inject, Injectable, Logger } from '@nestjs/common';
import { abortable } from '../../core/async/abortable.js';
import { type Settings, SETTINGS } from '../../config/env.js';
import { type AttachmentProvider, AttachmentProviders, type AttachmentRequest, Clock, Telemetry } from '../../core/ports.js';
import type { SessionState } from '../../core/session/state.js';
import { contextEntries } from '../../core/normalize/conversation.js';
import type { CheckpointRecorder } from './checkpoints.js';
import type { PromptDraft, Stage } from './prompt-draft.js';
import type { Attachment } from '../../core/message/attachment.js';

/** Gathers attachments for a prompt from all providers concurrently. Shell commands and slash commands get none. */
@Injectable()
export class GatherAttachments implements Stage {
  readonly #log = new Logger(GatherAttachments.name);

  constructor(
    private readonly providers: AttachmentProviders,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'ATTACHMENT_TIMEOUT_MS'>,
  ) {}

  async apply(prompt: PromptDraft, state: SessionState, marks: CheckpointRecorder, signal: AbortSignal): Promise<PromptDraft> {
    const { tenantId, sessionId, submission } = prompt;
    if (submission.mode === 'bash' || prompt.expanded !== null) return prompt;
    marks.mark('query_attachment_loading_start');
    const request = { tenantId, sessionId, submission, transcript: contextEntries(state), now: this.clock.now() };
    const gathered = await Promise.all(this.providers.all.map((provider) => this.#gather(provider, request, signal)));
    marks.mark('query_attachment_loading_end');
    return { ...prompt, attachments: [...prompt.attachments, ...gathered.flat()] };
  }

  async #gather(provider: AttachmentProvider, request: AttachmentRequest, signal: AbortSignal): Promise<readonly Attachment[]> {
    const limit = provider.timeoutMs ?? this.settings.ATTACHMENT_TIMEOUT_MS;
    // Not AbortSignal.timeout, of which each turn would leave one to run out.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), limit);
    const stop = AbortSignal.any([signal, late.signal]);
    const { name } = provider;
    try {
      const attachments = await abortable(provider.gather(request, stop), stop);
      if (attachments.length > 0) this.telemetry.count('attachments', { provider: name, outcome: 'given' }, attachments.length);
      return attachments;
    } catch (error) {
      if (signal.aborted) return [];
      this.telemetry.count('attachments', { provider: name, outcome: late.signal.aborted ? 'late' : 'failed' });
      this.#log.warn({
        msg: 'attachments of a provider were omitted',
        provider: name,
        reason: late.signal.aborted ? `timeout after ${limit} ms` : String(error),
      });
      return [];
    } finally {
      clearTimeout(timer);
    }
  }
}
