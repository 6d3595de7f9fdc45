import { CompactHandler } from './compact.js';
import { CreateSessionCommand } from './create-session.js';
import { DecideToolCommand } from './decide-tool.js';
import { ForkSessionHandler } from './fork-session.js';
import { InterruptCommand } from './interrupt.js';
import { PostToolResultsHandler } from './post-tool-results.js';
import { RegenerateHandler } from './regenerate.js';
import { RestoreBranchCommand } from './restore-branch.js';
import { RestoreCommand } from './restore.js';
import { RewindHandler } from './rewind.js';
import { SubmitPromptHandler } from './submit-prompt.js';
import { WithdrawPromptCommand } from './withdraw-prompt.js';

/** The commands that several features send: their classes, or the handlers of those that have one. */
export const ENGINE_COMMANDS = [
  CompactHandler,
  CreateSessionCommand,
  DecideToolCommand,
  ForkSessionHandler,
  InterruptCommand,
  PostToolResultsHandler,
  RegenerateHandler,
  RestoreBranchCommand,
  RestoreCommand,
  RewindHandler,
  SubmitPromptHandler,
  WithdrawPromptCommand,
];
