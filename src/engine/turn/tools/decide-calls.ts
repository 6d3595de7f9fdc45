import { Injectable } from '@nestjs/common';
import { contextAttachments, readerNotices } from '../../../../packages/protocol/hooks/hook-messages.js';
import { verdictOf } from '../../../../packages/protocol/hooks/verdict.js';
import { type CallVerdict, decideCall, forbidden } from '../../../session/permissions/decide-call.js';
import type { RuleBook } from '../../../../packages/protocol/permissions/rule.js';
import { Clock, type ToolCall } from '../../../ports/index.js';
import { outcomeMessage } from '../../../session/decide/closed-calls.js';
import type { CallDecision } from '../../../session/state/commands.js';
import type { CallRecord, SessionState } from '../../../session/state/state.js';
import { callsThatAre } from '../../../session/state/tool-calls.js';
import { type HookFindings, TurnHooks } from '../hooks/turn-hooks.js';
import { InterruptWatch } from '../interrupt-watch.js';
import { type ClaimedTurn, TurnReports } from '../turn-reports.js';
import { WorkspaceLog } from '../workspace-log.js';
import { CallRules } from './call-rules.js';
import { toolCall } from './tool-call.js';
import type { ToolDefinition } from '../../../../packages/protocol/message/tool-definition.js';

/** Decides the calls of an answer concurrently, by rules, hooks and permission mode, and reports the decisions together. */
@Injectable()
export class DecideCalls {
  constructor(
    private readonly rules: CallRules,
    private readonly hooks: TurnHooks,
    private readonly watch: InterruptWatch,
    private readonly reports: TurnReports,
    private readonly clock: Clock,
    private readonly workspace: WorkspaceLog,
  ) {}

  async decide(job: ClaimedTurn, state: SessionState, signal: AbortSignal): Promise<void> {
    const pending = (state.turn ? callsThatAre('pending', state.turn) : []).map((call) => toolCall(job, state, call, this.clock.now()));
    const tools = new Map(state.serverTools.map((tool) => [tool.name, tool]));
    const [rules, permissionMode] = await Promise.all([this.rules.of(job.tenantId, state), this.rules.mode(job.tenantId, state)]);
    const calls = pending.map((call) => ({ ...call, permissionMode }));
    await this.watch.during(job, signal, async (stop) => {
      const decisions = await Promise.all(calls.map((call) => this.#decide(call, tools.get(call.name), rules, stop)));
      // Before it is decided what the calls may do: a hook may have written into the session's folder.
      if (decisions.some(({ hookRuns }) => hookRuns.length > 0)) await this.workspace.record(job, null);
      if (stop.aborted) return;
      await this.reports.report(job, `decide:${this.clock.uuid()}`, { type: 'RecordDecisions', turnId: job.turnId, decisions });
    });
  }

  /** The denial of a call that a user allowed with a changed input that a rule forbids; null when no rule does. */
  async forbids(job: ClaimedTurn, state: SessionState, call: CallRecord): Promise<CallDecision | null> {
    if (call.decidedBy?.kind !== 'person' || call.updatedInput === null) return null;
    const tool = state.serverTools.find(({ name }) => name === call.name);
    const changed = toolCall(job, state, call, this.clock.now());
    const verdict = tool ? forbidden({ tool, input: changed.input, rules: await this.rules.of(job.tenantId, state) }) : null;
    return verdict && this.#decision(changed, verdict, NO_FINDINGS);
  }

  async #decide(call: ToolCall, tool: ToolDefinition | undefined, rules: RuleBook, signal: AbortSignal): Promise<CallDecision> {
    if (!tool) throw new Error(`the session has no tool ${call.name}`);
    const outright = forbidden({ tool, input: call.input, rules });
    if (outright) return this.#decision(call, outright, NO_FINDINGS);
    const findings = await this.hooks.preToolUse(call, signal);
    const input = findings.verdict.updatedInput ?? call.input;
    return this.#decision(call, decideCall({ tool, input, mode: call.permissionMode, rules }, findings), findings);
  }

  #decision(call: ToolCall, { decision, by, reason }: CallVerdict, { runs, verdict }: HookFindings): CallDecision {
    const { toolUseId } = call;
    const at = this.clock.timestamp();
    const uuid = (): string => this.clock.uuid();
    return {
      toolUseId,
      decision,
      by,
      reason,
      updatedInput: verdict.updatedInput,
      hookRuns: runs,
      contexts: [
        ...contextAttachments(runs).map((attachment) => ({ type: 'attachment' as const, uuid: uuid(), timestamp: at, attachment })),
        ...readerNotices(runs, { at, uuid }),
      ],
      result: decision === 'deny' ? [outcomeMessage({ toolUseId, content: reason, isError: true }, { uuid: uuid(), at })] : [],
      endReason: verdict.prevented,
    };
  }
}

const NO_FINDINGS: HookFindings = { runs: [], verdict: verdictOf([]) };
