import type { Submission } from '../../../packages/protocol/message/submission.js';

/** Name of the slash command that compacts the conversation. */
export const COMPACT_COMMAND = 'compact';

/** Whether a submission requests a compaction, by mode or by slash command. */
export function isCompactionRequest({ mode, route }: Pick<Submission, 'mode' | 'route'>): boolean {
  return mode === 'compact' || (route?.kind === 'command' && route.command === 'turn' && route.name === COMPACT_COMMAND);
}
