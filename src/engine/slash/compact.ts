import { COMPACT_COMMAND } from '../../session/state/compaction-request.js';
import type { OtherCommand } from './slash-command.js';

export const compact: OtherCommand = {
  kind: 'turn',
  name: COMPACT_COMMAND,
  description: 'Replace the conversation so far with a summary; a rewind undoes it',
  argumentHint: '[instructions for the summary]',
  bridgeSafe: true,
};
