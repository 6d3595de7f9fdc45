import { CompactHandler } from './compact.js';
import { CreateSessionHandler } from './create-session.js';
import { DecideToolHandler } from './decide-tool.js';
import { ForkSessionHandler } from './fork-session.js';
import { InterruptHandler } from './interrupt.js';
import { PostToolResultsHandler } from './post-tool-results.js';
import { RegenerateHandler } from './regenerate.js';
import { RestoreBranchHandler } from './restore-branch.js';
import { RestoreHandler } from './restore.js';
import { RewindHandler } from './rewind.js';
import { SubmitPromptHandler } from './submit-prompt.js';
import { WithdrawPromptHandler } from './withdraw-prompt.js';

/** Handlers of the commands that several features send. */
export const ENGINE_COMMANDS = [
  CompactHandler,
  CreateSessionHandler,
  DecideToolHandler,
  ForkSessionHandler,
  InterruptHandler,
  PostToolResultsHandler,
  RegenerateHandler,
  RestoreBranchHandler,
  RestoreHandler,
  RewindHandler,
  SubmitPromptHandler,
  WithdrawPromptHandler,
];
