import { BreakGlassHandler, GrantRoleHandler, RevokeGrantHandler } from './features/people/people-commands.js';
import { CloseSessionHandler } from './features/sessions/close-session.js';
import { CompactHandler } from './engine/commands/compact.js';
import { ConfigureSessionHandler } from './features/sessions/configure-session.js';
import { CreateSessionHandler } from './engine/commands/create-session.js';
import { DecideToolHandler } from './engine/commands/decide-tool.js';
import { EraseMessageHandler } from './features/erasure/erase-message.js';
import { EraseSessionHandler } from './features/erasure/erase-session.js';
import { HoldHandler } from './features/erasure/hold.js';
import { ForkSessionHandler } from './engine/commands/fork-session.js';
import { ImportSessionHandler } from './features/transfer/import-session.js';
import { InterruptHandler } from './engine/commands/interrupt.js';
import { PostToolResultsHandler } from './engine/commands/post-tool-results.js';
import { RegenerateHandler } from './engine/commands/regenerate.js';
import { RecordFeedbackHandler } from './features/feedback/record-feedback.js';
import { ReopenSessionHandler } from './features/sessions/reopen-session.js';
import { RestoreBranchHandler } from './engine/commands/restore-branch.js';
import { RestoreHandler } from './engine/commands/restore.js';
import { RewindHandler } from './engine/commands/rewind.js';
import { RunHookHandler } from './features/hooks/run-hook.js';
import { SubmitPromptHandler } from './engine/commands/submit-prompt.js';
import { WithdrawPromptHandler } from './engine/commands/withdraw-prompt.js';

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
