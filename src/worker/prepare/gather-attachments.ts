import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/env.js';
import { type AttachmentProvider, AttachmentProviders, type AttachmentRequest, Clock, Telemetry } from '../../core/ports.js';
import type { SessionState } from '../../core/session/state.js';
import { transcript } from '../../core/normalize/conversation.js';
import type { CheckpointRecorder } from './checkpoints.js';
import type { PromptDraft, Stage } from './prompt-draft.js';
import type { Attachment } from '../../core/message/attachment.js';

/** What the model should know besides a prompt, from every provider at once. Shell commands and slash commands go without. */
@Injectable()
export class GatherAttachments implements Stage {
  readonly #log = new Logger(GatherAttachments.name);

  constructor(
    private readonly providers: AttachmentProviders,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'ATTACHMENT_TIMEOUT_MS'>,
  ) {}

  async run(prompt: PromptDraft, state: SessionState, marks: CheckpointRecorder, signal: AbortSignal): Promise<PromptDraft> {
    const { tenantId, sessionId, submission } = prompt;
    if (submission.mode === 'bash' || prompt.expanded !== null) return prompt;
    marks.mark('query_attachment_loading_start');
    const request = { tenantId, sessionId, submission, transcript: transcript(state), now: this.clock.now() };
    const gathered = await Promise.all(this.providers.all.map((provider) => this.#ask(provider, request, signal)));
    marks.mark('query_attachment_loading_end');
    return { ...prompt, attachments: [...prompt.attachments, ...gathered.flat()] };
  }

  async #ask(provider: AttachmentProvider, request: AttachmentRequest, signal: AbortSignal): Promise<readonly Attachment[]> {
    const late = AbortSignal.timeout(this.settings.ATTACHMENT_TIMEOUT_MS);
    const stop = AbortSignal.any([signal, late]);
    const { name } = provider;
    try {
      const attachments = await before(stop, () => provider.gather(request, stop));
      if (attachments.length > 0) this.telemetry.count('attachments', { provider: name, outcome: 'given' }, attachments.length);
      return attachments;
    } catch (error) {
      if (signal.aborted) return [];
      this.telemetry.count('attachments', { provider: name, outcome: late.aborted ? 'late' : 'failed' });
      this.#log.warn({
        msg: 'attachments were left out',
        provider: name,
        reason: late.aborted ? `not there within ${this.settings.ATTACHMENT_TIMEOUT_MS} ms` : String(error),
      });
      return [];
    }
  }
}

/** What `work` comes to, unless `signal` aborts first; a provider need not listen to it. */
function before<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    return void work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}
