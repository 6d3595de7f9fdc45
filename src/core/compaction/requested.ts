import { argumentsOf } from '../prompt/route.js';
import { COMPACT_COMMAND, isCompactionRequest } from '../session/compaction-request.js';
import { textOf } from '../message/content.js';
import type { Route, Submission } from '../message/submission.js';

/** What becomes of a submission that asks for a compaction by another way than the command. */
export const COMPACT: Route = { kind: 'command', command: 'turn', name: COMPACT_COMMAND };

/** What a submission that asks for a compaction wants of it; null when it asks for something else. */
export function requestedCompaction(submission: Submission): { readonly instructions: string | null } | null {
  if (!isCompactionRequest(submission)) return null;
  const { mode, value } = submission;
  const instructions = (mode === 'compact' ? textOf(value) : argumentsOf(submission)).trim();
  return { instructions: instructions === '' ? null : instructions };
}
