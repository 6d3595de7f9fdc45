import { Module } from '@nestjs/common';
import { AskModel } from './ask-model.js';
import { InterruptWatch } from './interrupt-watch.js';
import { OutboxRelay } from './outbox-relay.js';
import { ExpandCommand } from './prepare/expand-command.js';
import { GatherAttachments } from './prepare/gather-attachments.js';
import { PrepareTurn } from './prepare/prepare-turn.js';
import { PromptHooks } from './prepare/prompt-hooks.js';
import { StalledTurns } from './stalled-turns.js';
import { TurnDriver } from './turn-driver.js';
import { TurnReports } from './turn-reports.js';
import { TurnHooks } from './hooks/turn-hooks.js';
import { Worker } from './worker.js';

/** What runs turns. The ports and the executor come from global modules. */
@Module({ providers: [TurnReports, InterruptWatch, ExpandCommand, GatherAttachments, PromptHooks, PrepareTurn, TurnHooks, AskModel, TurnDriver, OutboxRelay, StalledTurns, Worker], exports: [Worker] })
export class WorkerModule {}
