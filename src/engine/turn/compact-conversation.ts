import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../../platform/config/env.js';
import { compactionLimits, type CompactionSettings } from '../../platform/config/limits.js';
import { blockedText } from '../../session/decide/decide-compaction.js';
import { dueCompaction, type DueCompaction } from '../../session/compaction/should-compact.js';
import { readingOf } from '../../session/compaction/plan.js';
import { Clock, Sessions } from '../../ports/index.js';
import type { SentCompaction } from '../../../packages/protocol/events/events.js';
import type { SessionState } from '../../session/state/state.js';
import { CallModel } from './call-model.js';
import { TurnHooks } from './hooks/turn-hooks.js';
import { InterruptWatch } from './interrupt-watch.js';
import { type ClaimedTurn, TurnReports } from './turn-reports.js';
import { WorkspaceLog } from './workspace-log.js';
import type { Draft } from '../../../packages/protocol/message/draft.js';
import type { HookRun } from '../../../packages/protocol/hooks/hook-run.js';

/** The compactions of a turn: requested ones, and automatic ones when the conversation no longer fits the model's context window. */
@Injectable()
export class CompactConversation {
  constructor(
    private readonly callModel: CallModel,
    private readonly hooks: TurnHooks,
    private readonly sessions: Sessions,
    private readonly reports: TurnReports,
    private readonly watch: InterruptWatch,
    @Inject(SETTINGS) private readonly settings: CompactionSettings,
    private readonly clock: Clock,
    private readonly workspace: WorkspaceLog,
  ) {}

  /** The first step of a turn that is a compaction: its PreCompact hooks may block it. */
  async prepare(job: ClaimedTurn, state: SessionState, { instructions }: Pick<SentCompaction, 'instructions'>, signal: AbortSignal): Promise<void> {
    const { turnId } = job;
    const { runs, blocked } = await this.#hooksOf(job, state, { trigger: 'manual', instructions }, signal);
    const messages = blocked === null ? [] : [this.#warning(blocked)];
    await this.reports.report(job, 'prepare', { type: 'PrepareTurn', turnId, messages, hookRuns: runs, callsModel: blocked === null, checkpoints: [] });
  }

  isDue(state: SessionState): boolean {
    return state.turn !== null && dueCompaction(state, state.turn, compactionLimits(this.settings)) !== null;
  }

  /** Performs one step of the compaction that is due before the turn's next request; false when none is due. */
  async runIfDue(job: ClaimedTurn, state: SessionState, ordinal: number, signal: AbortSignal): Promise<boolean> {
    const limits = compactionLimits(this.settings);
    const due = state.turn && dueCompaction(state, state.turn, limits);
    if (!due) return false;
    const { plan, trigger, instructions, rejections } = due;
    const reading = plan && readingOf(plan, rejections, state, limits);
    if (!plan || !reading) {
      if (trigger === 'auto') return false;
      await this.reports.report(job, 'nothing-to-compact', { type: 'CompleteNothingToCompact', turnId: job.turnId, at: this.#now(), uuid: this.clock.uuid() });
      return true;
    }
    const current = await this.#afterHooks(job, state, ordinal, due, signal);
    if (!current) return true;
    await this.callModel.request(job, current, ordinal, signal, { trigger, instructions, ...reading, keptFrom: plan.keptFrom, preTokens: plan.preTokens });
    return true;
  }

  /** The session after the PreCompact hooks of an automatic compaction; null when they blocked it. */
  async #afterHooks(job: ClaimedTurn, state: SessionState, ordinal: number, due: DueCompaction, signal: AbortSignal): Promise<SessionState | null> {
    if (due.trigger === 'manual' || due.isRepeated) return state;
    const { runs, blocked } = await this.watch.during(job, signal, (stop) => this.#hooksOf(job, state, due, stop));
    if (runs.length > 0) {
      const { turnId } = job;
      const at = this.#now();
      await this.reports.report(job, `compaction-hooks:${ordinal}`, { type: 'RecordCompactionHooks', turnId, runs, blocked, at, uuid: this.clock.uuid() });
    }
    return blocked === null ? this.sessions.load(job.tenantId, job.sessionId) : null;
  }

  async #hooksOf(
    job: ClaimedTurn,
    state: SessionState,
    { trigger, instructions }: Pick<SentCompaction, 'trigger' | 'instructions'>,
    signal: AbortSignal,
  ): Promise<{ readonly runs: readonly HookRun[]; readonly blocked: string | null }> {
    const { tenantId, sessionId, turnId } = job;
    const { permissionMode } = state.settings;
    const workload = state.prompts.get(state.turns.get(turnId)?.promptId ?? '')?.submission.workload;
    const context = { tenantId, sessionId, permissionMode, ...(workload === undefined ? {} : { workload }) };
    const { runs, verdict } = await this.hooks.preCompact(context, { trigger, instructions: instructions ?? '' }, signal);
    if (runs.length > 0) await this.workspace.record(job, null);
    return { runs, blocked: verdict.blocked ?? verdict.prevented };
  }

  #warning(reason: string): Draft {
    return { type: 'system', uuid: this.clock.uuid(), timestamp: this.#now(), subtype: 'hook_blocked', level: 'warning', content: blockedText(reason) };
  }

  #now(): string {
    return this.clock.timestamp();
  }
}
