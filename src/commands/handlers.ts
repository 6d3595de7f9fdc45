import { CloseSessionHandler } from './close-session.handler.js';
import { CompactHandler } from './compact.handler.js';
import { ConfigureSessionHandler } from './configure-session.handler.js';
import { CreateSessionHandler } from './create-session.handler.js';
import { DecideToolHandler } from './decide-tool.handler.js';
import { ForkSessionHandler } from './fork-session.handler.js';
import { ImportSessionHandler } from './import-session.handler.js';
import { InterruptHandler } from './interrupt.handler.js';
import { PostToolResultsHandler } from './post-tool-results.handler.js';
import { RecordFeedbackHandler } from './record-feedback.handler.js';
import { ReopenSessionHandler } from './reopen-session.handler.js';
import { RestoreHandler } from './restore.handler.js';
import { RewindHandler } from './rewind.handler.js';
import { RunHookHandler } from './run-hook.handler.js';
import { SubmitPromptHandler } from './submit-prompt.handler.js';
import { WithdrawPromptHandler } from './withdraw-prompt.handler.js';

/** Everything that can be asked of a session, one handler each. */
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
  CompactHandler,
  ForkSessionHandler,
];
