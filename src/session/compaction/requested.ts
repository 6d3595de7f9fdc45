import { argumentsOf } from '../prompt/route.js';
import { COMPACT_COMMAND, isCompactionRequest } from '../state/compaction-request.js';
import { textOf } from '../../../packages/protocol/message/content.js';
import type { Route, Submission } from '../../../packages/protocol/message/submission.js';

/** The route of a compaction that was not requested by the slash command. */
export const COMPACT: Route = { kind: 'command', command: 'turn', name: COMPACT_COMMAND };

/** The instructions of a submission that requests a compaction; null for any other submission. */
export function requestedCompaction(submission: Submission): { readonly instructions: string | null } | null {
  if (!isCompactionRequest(submission)) return null;
  const { mode, value } = submission;
  const instructions = (mode === 'compact' ? textOf(value) : argumentsOf(submission)).trim();
  return { instructions: instructions === '' ? null : instructions };
}
