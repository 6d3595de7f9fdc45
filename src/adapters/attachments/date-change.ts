import { AttachmentProvider, type AttachmentRequest } from '../../core/ports.js';
import type { Attachment } from '../../core/message/attachment.js';

/** Tells the model that the date has changed when the conversation continues after midnight (UTC). */
export class DateChange extends AttachmentProvider {
  override readonly name = 'date';

  override async gather({ transcript, now }: AttachmentRequest): Promise<readonly Attachment[]> {
    const last = Date.parse(transcript.at(-1)?.timestamp ?? '');
    const today = dayOf(now);
    return Number.isNaN(last) || dayOf(last) >= today ? [] : [{ type: 'date_change', newDate: today }];
  }
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
