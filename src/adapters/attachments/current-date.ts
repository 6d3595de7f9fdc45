import { AttachmentProvider, type AttachmentRequest } from '../../core/ports.js';
import { lastAttachment } from '../../core/normalize/last-attachment.js';
import type { Attachment } from '../../core/message/attachment.js';

/** Gives the date (UTC) once per conversation, and again when it has changed since the last message. */
export class CurrentDate extends AttachmentProvider {
  override readonly name = 'date';

  override async gather({ transcript, now }: AttachmentRequest): Promise<readonly Attachment[]> {
    const last = Date.parse(transcript.at(-1)?.timestamp ?? '');
    const today = dayOf(now);
    if (!Number.isNaN(last) && dayOf(last) < today) return [{ type: 'date_change', newDate: today }];
    const known = lastAttachment(transcript, ({ type }) => type === 'current_date' || type === 'date_change');
    return known ? [] : [{ type: 'current_date', date: today }];
  }
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
