import { COMPACT_COMMAND } from '../../core/session/compaction-request.js';
import type { OtherCommand } from './slash-command.js';

export const compact: OtherCommand = {
  kind: 'turn',
  name: COMPACT_COMMAND,
  description: 'Go on behind a summary of the conversation so far; a rewind undoes it',
  argumentHint: '[what the summary must hold]',
  bridgeSafe: true,
};
