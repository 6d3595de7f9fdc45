import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../platform/config/env.js';
import { contextAttachments, readerNotices, stopMessages } from '../../../../packages/protocol/hooks/hook-messages.js';
import { textOf } from '../../../../packages/protocol/message/content.js';
import { userMessage, type Draft } from '../../../../packages/protocol/message/draft.js';
import { Clock } from '../../../ports/index.js';
import type { SessionState, Turn } from '../../../session/state/state.js';
import { TurnHooks } from '../hooks/turn-hooks.js';
import { InterruptWatch } from '../interrupt-watch.js';
import { WorkspaceLog } from '../workspace-log.js';
import { type ClaimedTurn, TurnReports } from '../turn-reports.js';

/** Ends a turn, unless its Stop hooks make the model continue. */
@Injectable()
export class FinishTurn {
  constructor(
    private readonly hooks: TurnHooks,
    private readonly watch: InterruptWatch,
    private readonly reports: TurnReports,
    private readonly clock: Clock,
    private readonly workspace: WorkspaceLog,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_STOP_CONTINUATIONS'>,
  ) {}

  async finish(job: ClaimedTurn, state: SessionState, turn: Turn, signal: AbortSignal): Promise<void> {
    if (turn.endReason === null) await this.watch.during(job, signal, (stop) => this.#runStopHooks(job, state, turn, stop));
    else await this.#report(job, stopMessages(turn.endReason, { at: this.clock.timestamp(), uuid: () => this.clock.uuid() }), false, []);
  }

  /** Stop hooks may make the model continue, up to MAX_STOP_CONTINUATIONS times. */
  async #runStopHooks(job: ClaimedTurn, state: SessionState, turn: Turn, stop: AbortSignal): Promise<void> {
    const { permissionMode } = state.settings;
    const { continuations } = turn;
    const workload = state.prompts.get(turn.promptId)?.submission.workload;
    const { tenantId, sessionId } = job;
    const context = { tenantId, sessionId, permissionMode, ...(workload === undefined ? {} : { workload }) };
    const { runs, verdict } = await this.hooks.stop(context, { active: continuations > 0, lastText: lastText(state, turn) }, stop);
    if (runs.length > 0) await this.workspace.record(job, null);
    if (stop.aborted) return;
    const at = this.clock.timestamp();
    const wantsMore = verdict.blocked !== null && verdict.prevented === null;
    const continues = wantsMore && continuations < this.settings.MAX_STOP_CONTINUATIONS;
    const messages: Draft[] = [...readerNotices(runs, { at, uuid: () => this.clock.uuid() })];
    if (continues) {
      messages.push(this.#message({ content: `A Stop hook has you go on:\n${verdict.blocked}`, isMeta: true }));
      messages.push(...contextAttachments(runs).map((attachment): Draft => ({ type: 'attachment', uuid: this.clock.uuid(), timestamp: at, attachment })));
    } else if (wantsMore) {
      const content = `Stop hooks made the model continue ${continuations} times, which is the limit; the turn ends here.`;
      messages.push({ type: 'system', uuid: this.clock.uuid(), timestamp: at, subtype: 'informational', level: 'warning', content });
    }
    await this.#report(job, messages, continues, runs);
  }

  #message(message: { readonly content: string; readonly isMeta?: boolean }): Draft {
    return userMessage({ uuid: this.clock.uuid(), timestamp: this.clock.timestamp(), ...message });
  }

  async #report(job: ClaimedTurn, messages: readonly Draft[], continues: boolean, hookRuns: Awaited<ReturnType<TurnHooks['stop']>>['runs']): Promise<void> {
    await this.reports.report(job, `finish:${this.clock.uuid()}`, { type: 'FinishTurn', turnId: job.turnId, hookRuns, messages, continues });
  }
}

function lastText(state: SessionState, turn: Turn): string {
  for (const uuid of turn.messages.toReversed()) {
    const message = state.messages.get(uuid)?.message;
    if (message?.type === 'assistant' && !message.isVirtual) return textOf(message.message.content);
  }
  return '';
}
