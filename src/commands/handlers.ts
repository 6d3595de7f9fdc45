import { BreakGlassHandler, GrantRoleHandler, RevokeGrantHandler } from './people.js';
import { CloseSessionHandler } from './close-session.js';
import { CompactHandler } from './compact.js';
import { ConfigureSessionHandler } from './configure-session.js';
import { CreateSessionHandler } from './create-session.js';
import { DecideToolHandler } from './decide-tool.js';
import { EraseMessageHandler } from './erasure/erase-message.js';
import { EraseSessionHandler } from './erasure/erase-session.js';
import { HoldHandler } from './hold.js';
import { ForkSessionHandler } from './fork-session.js';
import { ImportSessionHandler } from './import-session.js';
import { InterruptHandler } from './interrupt.js';
import { PostToolResultsHandler } from './post-tool-results.js';
import { RegenerateHandler } from './regenerate.js';
import { RecordFeedbackHandler } from './record-feedback.js';
import { ReopenSessionHandler } from './reopen-session.js';
import { RestoreBranchHandler } from './restore-branch.js';
import { RestoreHandler } from './restore.js';
import { RewindHandler } from './rewind.js';
import { RunHookHandler } from './run-hook.js';
import { SubmitPromptHandler } from './submit-prompt.js';
import { WithdrawPromptHandler } from './withdraw-prompt.js';

/** One handler per command. */
export const COMMAND_HANDLERS = [
  CreateSessionHandler,
  ImportSessionHandler,
  ConfigureSessionHandler,
  CloseSessionHandler,
  ReopenSessionHandler,
  SubmitPromptHandler,
  WithdrawPromptHandler,
  InterruptHandler,
  PostToolResultsHandler,
  DecideToolHandler,
  RecordFeedbackHandler,
  RunHookHandler,
  RewindHandler,
  RestoreHandler,
  RestoreBranchHandler,
  RegenerateHandler,
  CompactHandler,
  ForkSessionHandler,
  EraseSessionHandler,
  EraseMessageHandler,
  HoldHandler,
  GrantRoleHandler,
  RevokeGrantHandler,
  BreakGlassHandler,
];
