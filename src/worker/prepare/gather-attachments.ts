import { Injectable } from '@nestjs/common';
import type { SessionState } from '../../core/session/state.js';
import type { Marks } from './marks.js';
import type { PromptInHand, Stage } from './prompt-in-hand.js';

/** What the client sent along. */
@Injectable()
export class GatherAttachments implements Stage {
  async run(prompt: PromptInHand, _state: SessionState, marks: Marks, _signal: AbortSignal): Promise<PromptInHand> {
    marks.mark('query_attachment_loading_start');
    const attachments = [...prompt.attachments, ...(prompt.submission.attachments ?? [])];
    marks.mark('query_attachment_loading_end');
    return { ...prompt, attachments };
  }
}
