import { Module } from '@nestjs/common';
import { CallModel } from './call-model.js';
import { CompactConversation } from './compact-conversation.js';
import { TurnHooks } from './hooks/turn-hooks.js';
import { DirectTurns } from './direct-turns.js';
import { ExpiredWaits } from './expired-waits.js';
import { TurnTrace } from './turn-trace.js';
import { AttachmentReads } from './attachment-reads.js';
import { StandingContext } from './standing-context.js';
import { FirstRequest } from './first-request.js';
import { InterruptWatch } from './interrupt-watch.js';
import { OutboxRelay } from './outbox-relay.js';
import { ExpandCommand } from './prepare/expand-command.js';
import { FitMedia } from './prepare/fit-media.js';
import { GatherAttachments } from './prepare/gather-attachments.js';
import { PrepareTurn } from './prepare/prepare-turn.js';
import { PromptHooks } from './prepare/prompt-hooks.js';
import { NormalizationCaches } from './normalization-caches.js';
import { RunBash } from './prepare/run-bash.js';
import { Erasures } from './erasures.js';
import { FinishInterrupt } from './finish-interrupt.js';
import { OrphanedTurns } from './orphaned-turns.js';
import { ReceiptPruning } from './receipt-pruning.js';
import { SessionTitles } from './session-titles.js';
import { CheckpointSigner } from './transparency/checkpoint-signer.js';
import { Anchoring } from './transparency/anchoring.js';
import { Witnessing } from './transparency/witnessing.js';
import { RecurringAudit } from './transparency/recurring-audit.js';
import { Sequencer } from './transparency/sequencer.js';
import { TOOL_STEPS } from './tools/index.js';
import { RequestFailures } from './request-failures.js';
import { TurnDriver } from './turn-driver.js';
import { TurnReports } from './turn-reports.js';
import { Stopping } from './stopping.js';
import { Worker } from './worker.js';

const PREPARE = [FitMedia, RunBash, ExpandCommand, GatherAttachments, PromptHooks, PrepareTurn];
const TURN = [
  Stopping,
  TurnReports,
  TurnTrace,
  InterruptWatch,
  TurnHooks,
  ...PREPARE,
  NormalizationCaches,
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

/** The turn engine. Ports and the executor are provided by global modules. */
@Module({
  providers: [
    ...TURN,
    OutboxRelay,
    OrphanedTurns,
    ReceiptPruning,
    Erasures,
    SessionTitles,
    ExpiredWaits,
    DirectTurns,
    CheckpointSigner,
    Sequencer,
    Anchoring,
    Witnessing,
    RecurringAudit,
    Worker,
  ],
  exports: [Worker],
})
export class WorkerModule {}
