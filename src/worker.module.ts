import { Module } from '@nestjs/common';
import { partsOf } from './engine/feature.js';
import { BACKGROUND_WORK, type BackgroundWork } from './engine/dispatch/background-work.js';
import { FEATURES } from './features.js';
import { RequestLog } from './engine/queries/request-log.js';
import { CallModel } from './engine/turn/call-model.js';
import { CompactConversation } from './engine/turn/compact-conversation.js';
import { TurnHooks } from './engine/turn/hooks/turn-hooks.js';
import { AbandonedTurns } from './engine/dispatch/abandoned-turns.js';
import { DirectTurns } from './engine/dispatch/direct-turns.js';
import { ExpiredWaits } from './engine/dispatch/expired-waits.js';
import { TurnTrace } from './engine/turn/turn-trace.js';
import { AttachmentReads } from './engine/turn/attachment-reads.js';
import { StandingContext } from './engine/turn/standing-context.js';
import { FirstRequest } from './engine/turn/first-request.js';
import { HelperWatch } from './engine/dispatch/helper-watch.js';
import { InterruptWatch } from './engine/turn/interrupt-watch.js';
import { OutboxRelay } from './engine/dispatch/outbox-relay.js';
import { ExpandCommand } from './engine/turn/prepare/expand-command.js';
import { FitMedia } from './engine/turn/prepare/fit-media.js';
import { GatherAttachments } from './engine/turn/prepare/gather-attachments.js';
import { PrepareTurn } from './engine/turn/prepare/prepare-turn.js';
import { PromptHooks } from './engine/turn/prepare/prompt-hooks.js';
import { NormalizationCaches } from './engine/turn/normalization-caches.js';
import { RunBash } from './engine/turn/prepare/run-bash.js';
import { FinishInterrupt } from './engine/turn/finish-interrupt.js';
import { OrphanedTurns } from './engine/dispatch/orphaned-turns.js';
import { ReceiptPruning } from './engine/dispatch/receipt-pruning.js';
import { TOOL_STEPS } from './engine/turn/tools/index.js';
import { RequestFailures } from './engine/turn/request-failures.js';
import { TurnDriver } from './engine/turn/turn-driver.js';
import { TurnReports } from './engine/turn/turn-reports.js';
import { WorkspaceLog } from './engine/turn/workspace-log.js';
import { Stopping } from './engine/dispatch/stopping.js';
import { Worker } from './worker.js';

const BACKGROUND = FEATURES.flatMap((feature) => partsOf(feature).background ?? []);
const PREPARE = [FitMedia, RunBash, ExpandCommand, GatherAttachments, PromptHooks, PrepareTurn];
const TURN = [
  Stopping,
  TurnReports,
  WorkspaceLog,
  TurnTrace,
  InterruptWatch,
  TurnHooks,
  ...PREPARE,
  NormalizationCaches,
  RequestLog,
  RequestFailures,
  CallModel,
  CompactConversation,
  FirstRequest,
  StandingContext,
  AttachmentReads,
  ...TOOL_STEPS,
  FinishInterrupt,
  TurnDriver,
];

/** The turn engine, and the worker that runs it. Ports, the executor and background work of features are provided by global modules. */
@Module({
  providers: [
    ...TURN,
    OutboxRelay,
    OrphanedTurns,
    AbandonedTurns,
    ReceiptPruning,
    ExpiredWaits,
    HelperWatch,
    DirectTurns,
    { provide: BACKGROUND_WORK, inject: [...BACKGROUND], useFactory: (...works: readonly BackgroundWork[]) => works },
    Worker,
  ],
  exports: [Worker],
})
export class WorkerModule {}
