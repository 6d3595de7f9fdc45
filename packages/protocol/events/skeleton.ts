import type { Json } from '../message/content.js';
import { skeletonBy } from '../shape/skeleton-rule.js';
import { type StoredSubmission, storedSubmission } from '../message/submission.js';
import { EVENTS, isEventType, type NewEvent, type SessionEvent } from './events.js';

/**
 * What is left of an event's data when its content is erased; it folds like the event. Only ids, kinds, numbers and times are kept, each by name: a member that is
 * not listed is content. Null: the event has none to erase.
 */
export function skeletonOf(event: NewEvent): Json | null {
  const skeleton = skeletonData(event.type, event.data);
  return skeleton === null || JSON.stringify(skeleton) === JSON.stringify(event.data) ? null : skeleton;
}

/** Whether an erasure would take something from the event. `text`: its data as JSON. */
export function hasContent({ type, data }: NewEvent, text: string): boolean {
  const skeleton = skeletonData(type, data);
  return skeleton !== null && JSON.stringify(skeleton) !== text;
}

/** Whether an event may ever be erased: what reports an erasure or a hold has no content. */
export const isErasable = ({ type, erased }: SessionEvent): boolean => erased !== true && EVENTS[type].skeleton !== null;

/** Whether a text can be what an erasure left of an event of this type: it is its own skeleton, and holds nothing else. */
export function isSkeleton(type: string, text: string): boolean {
  try {
    const skeleton = skeletonData(type, JSON.parse(text));
    return skeleton !== null && JSON.stringify(skeleton) === text;
  } catch {
    return false; // not JSON
  }
}

/** What may be shown of an event that was erased, whatever is stored instead of its data. Null: such an event is never erased. */
export function skeletonData(type: string, data: unknown): Json | null {
  const members = isEventType(type) ? EVENTS[type].skeleton : null;
  return members && (skeletonBy({ members }, data) ?? skeletonBy({ members }, {}) ?? null);
}

export const submissionSkeleton = (submission: StoredSubmission): StoredSubmission =>
  skeletonBy(storedSubmission.rule!, submission) as unknown as StoredSubmission;
