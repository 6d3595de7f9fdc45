import type { Submission } from '../intake/submission.js';
import { textOf } from '../message/content.js';

/** What a submission that asks for a compaction wants of it; null when it asks for something else. */
export function compactionAsked({ mode, value }: Submission): { readonly instructions: string | null } | null {
  if (mode !== 'compact') return null;
  const instructions = textOf(value).trim();
  return { instructions: instructions === '' ? null : instructions };
}
