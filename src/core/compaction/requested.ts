import { argumentsOf } from '../prompt/route.js';
import { textOf } from '../message/content.js';
import type { Route, Submission } from '../message/submission.js';

/** The command's name, as typed behind the slash. */
export const COMPACT_COMMAND = 'compact';

/** What becomes of a submission that asks for a compaction by another way than the command. */
export const COMPACT: Route = { kind: 'command', command: 'turn', name: COMPACT_COMMAND };

/** What a submission that asks for a compaction wants of it; null when it asks for something else. */
export function compactionAsked(submission: Submission): { readonly instructions: string | null } | null {
  const { mode, route, value } = submission;
  if (mode !== 'compact' && !(route?.kind === 'command' && route.command === 'turn' && route.name === COMPACT_COMMAND)) return null;
  const instructions = (mode === 'compact' ? textOf(value) : argumentsOf(submission)).trim();
  return { instructions: instructions === '' ? null : instructions };
}
