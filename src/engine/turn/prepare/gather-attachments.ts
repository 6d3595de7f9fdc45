import { Injectable } from '@nestjs/common';
import { textOf } from '../../../../packages/protocol/message/content.js';
import type { Attachment } from '../../../../packages/protocol/message/attachment.js';
import { AttachmentProviders } from '../../../ports/index.js';
import type { SessionState } from '../../../session/state/state.js';
import { AttachmentReads } from '../attachment-reads.js';
import type { CheckpointRecorder } from './checkpoints.js';
import type { PromptDraft, Stage } from './prompt-draft.js';

/** Gathers the attachments of a prompt from all providers concurrently. Shell commands get none; those of slash commands are part of their expansion. */
@Injectable()
export class GatherAttachments implements Stage {
  constructor(
    private readonly providers: AttachmentProviders,
    private readonly reads: AttachmentReads,
  ) {}

  async apply(prompt: PromptDraft, _state: SessionState, marks: CheckpointRecorder, signal: AbortSignal): Promise<PromptDraft> {
    const { submission } = prompt;
    if (submission.mode === 'bash' || prompt.expanded !== null) return prompt;
    return { ...prompt, attachments: [...prompt.attachments, ...(await this.gather(prompt, textOf(submission.value), marks, signal))] };
  }

  /** `text`: where files and resources may be mentioned. */
  async gather(prompt: PromptDraft, text: string, marks: CheckpointRecorder, signal: AbortSignal): Promise<readonly Attachment[]> {
    const { tenantId, sessionId, submission } = prompt;
    const request = { tenantId, sessionId, submission, text };
    marks.mark('query_attachment_loading_start');
    // A provider may also throw at once.
    const read = this.providers.all.map((provider) => this.reads.read(provider, async (stop) => provider.gather(request, stop), signal));
    const gathered = (await Promise.all(read)).flatMap(({ items, omission }) => (omission === null ? items : [omission]));
    marks.mark('query_attachment_loading_end');
    return gathered;
  }
}
