import { type StandingRequest, StandingSource } from '../../ports/index.js';
import type { Attachment } from '../../../packages/protocol/message/attachment.js';

/** The date where the user is who wrote the prompt; UTC until a prompt says where that is. */
export class CurrentDate extends StandingSource {
  override readonly name = 'date';

  override async read({ now, timeZone }: StandingRequest, told: Attachment | null): Promise<Attachment | null> {
    const before = typeof told?.['timeZone'] === 'string' ? told['timeZone'] : null;
    const zone = timeZone ?? before;
    const today = dateIn(zone ?? 'UTC', now);
    const known = told?.['newDate'] ?? told?.['date'] ?? null;
    const where: { readonly [key: string]: string } = zone === null ? {} : { timeZone: zone };
    if (typeof known !== 'string') return { type: 'current_date', date: today, ...where };
    // In one place time only continues: another worker's clock may have been ahead.
    const hasChanged = zone === before ? known < today : known !== today;
    return hasChanged ? { type: 'date_change', newDate: today, ...where } : null;
  }
}

/** Such as 2030-01-31. */
function dateIn(timeZone: string, now: number): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(now);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}
