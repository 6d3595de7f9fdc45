import { type StandingRequest, StandingSource } from '../../core/ports.js';
import type { Attachment } from '../../core/message/attachment.js';

/** The date (UTC). */
export class CurrentDate extends StandingSource {
  override readonly name = 'date';

  override async read({ now }: StandingRequest, told: Attachment | null): Promise<Attachment | null> {
    const today = new Date(now).toISOString().slice(0, 10);
    const known = told?.['newDate'] ?? told?.['date'] ?? null;
    if (typeof known !== 'string') return { type: 'current_date', date: today };
    // Another worker's clock may have been ahead.
    return known < today ? { type: 'date_change', newDate: today } : null;
  }
}
