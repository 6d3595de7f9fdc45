import { Inject, Injectable } from '@nestjs/common';
import { DomainError, type ErrorCode } from '../../../../packages/protocol/errors.js';
import type { HelperParent, SessionSettings } from '../../../../packages/protocol/events/events.js';
import { NO_SETTINGS } from '../../../../packages/protocol/events/settings.js';
import { systemPrincipal } from '../../../../packages/protocol/access/principal.js';
import { deriveId } from '../../../../packages/protocol/message/ids.js';
import type { Submission } from '../../../../packages/protocol/message/submission.js';
import { type Settings, SETTINGS } from '../../../platform/config/env.js';
import { Helpers, Sessions, type ToolOutcome } from '../../../ports/index.js';
import { acceptSubmission } from '../../../session/prompt/accept.js';
import { bound, helperId, helperResult, helperTurn, isOver } from '../../../session/state/helper.js';
import type { CallRecord, SessionState, Turn } from '../../../session/state/state.js';
import { callsThatAre, isForHelper, offeredByServer } from '../../../session/state/tool-calls.js';
import { isForHelpers } from '../../../session/tenants/agent-tools.js';
import type { AgentDefinition } from '../../../session/tenants/tenant-settings.js';
import { Admission } from '../../commands/admission.js';
import { OWN_REQUEST } from '../../commands/context.js';
import { Executor } from '../../commands/execute.js';
import { type ClaimedTurn, TurnReports } from '../turn-reports.js';
import { failed, type HelperTask, HelperTasks } from './helper-tasks.js';

/** A session that is to be created for a call. */
export interface HelperPlan {
  readonly id: string;
  readonly ownerId: string;
  readonly settings: SessionSettings;
  readonly parent: HelperParent;
  readonly submission: Submission;
}

type Limits = Pick<Settings, 'HELPER_DEPTH' | 'HELPER_CONCURRENCY' | 'HELPER_REQUESTS' | 'HELPER_TOKENS' | 'MAX_PROMPT_CHARACTERS'>;

const TITLE_LENGTH = 200;

/** Rejections of the helper's session or prompt that end: with them the turn is continued later. Any other would be repeated for ever, so the model is told. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'unavailable',
  'key_unavailable',
  'rate_limited',
  'tenant_busy',
  'tenant_moving',
  'version_conflict',
  'turn_over',
  'server_outdated',
  'log_tampered',
]);

/**
 * Calls that helpers carry out. A helper is a session with a derived id: its log says which call it is for, and the parent's log which session carries the call out,
 * before it exists. So whatever process dies, the next one finds the helper, or makes it, and takes its result from its log.
 */
@Injectable()
export class HelperCalls {
  constructor(
    private readonly admission: Admission,
    private readonly executor: Executor,
    private readonly sessions: Sessions,
    private readonly helpers: Helpers,
    private readonly tasks: HelperTasks,
    private readonly reports: TurnReports,
    @Inject(SETTINGS) private readonly settings: Limits,
  ) {}

  /** Whether helpers of the session may have helpers, and the session itself may. */
  mayHave(state: Pick<SessionState, 'parent' | 'boundBy'>): boolean {
    return (bound(state)?.depth ?? 0) < this.settings.HELPER_DEPTH;
  }

  /** How many more helpers may start now. */
  room(turn: Turn): number {
    return this.settings.HELPER_CONCURRENCY - callsThatAre('awaiting_helper', turn).length;
  }

  /** Whether nothing can start before a helper ends. */
  isFull(turn: Turn): boolean {
    return callsThatAre('awaiting_helper', turn).length > 0 && this.room(turn) <= 0 && callsThatAre('ready', turn).every(isForHelper);
  }

  /** Why there can be no helper, as the outcome of the call, or what it would be; null: the call is not for a helper. */
  async plan({ tenantId, sessionId, turnId }: ClaimedTurn, state: SessionState, call: CallRecord): Promise<HelperPlan | ToolOutcome | null> {
    const task = await this.tasks.of(tenantId, state, call);
    if (task === null || 'content' in task) return task;
    const { turn, parent, ownerId } = state;
    if (!this.mayHave(state)) return failed('A helper at this depth can have no helper. Carry the task out yourself.');
    if (turn === null || ownerId === null) throw new Error(`turn ${turnId} is over`);
    const asked = state.prompts.get(turn.promptId);
    const id = helperId(state, turn, call.toolUseId);
    try {
      return {
        id,
        ownerId,
        settings: settingsOf(state, task),
        parent: {
          ...{ sessionId, turnId, toolUseId: call.toolUseId, depth: (bound(state)?.depth ?? 0) + 1 },
          speaker: parent !== null && helperTurn(state) === turn ? parent.speaker : (asked?.by ?? ownerId),
          tools: toolsFor(state, task.agent),
          ...{ requests: this.settings.HELPER_REQUESTS, tokens: this.settings.HELPER_TOKENS },
        },
        submission: submissionOf(id, task, asked?.submission, this.settings.MAX_PROMPT_CHARACTERS),
      };
    } catch (error) {
      return toldOr(error);
    }
  }

  /** Creates the session and starts its turn, in one commit, unless who spoke has used up a quota of the day. Without effect when it exists. Resolves to the outcome of the call when it cannot be created. */
  async create(tenantId: string, { id, ownerId, settings, parent, submission }: HelperPlan): Promise<ToolOutcome | null> {
    if ((await this.sessions.load(tenantId, id)).version > 0) return null;
    const context = {
      ...{ principal: systemPrincipal(tenantId, ownerId), sessionId: id, commandId: deriveId(id, 'create') },
      ...{ requestHash: OWN_REQUEST, expectedVersion: null },
    };
    try {
      await this.admission.request({ tenantId, userId: parent.speaker, tokenId: submission.tokenId ?? null });
      await this.executor.execute(context, { type: 'CreateSession', settings, parent }, { type: 'SubmitPrompt', submission, whenBusy: 'reject', maxQueued: 0 });
      return null;
    } catch (error) {
      return toldOr(error);
    }
  }

  /** The first call that a helper has carried out, or that it cannot: with its outcome. Helpers that do not exist yet are created. Null: all are at work. */
  async outcome(job: ClaimedTurn, state: SessionState): Promise<{ readonly call: CallRecord; readonly outcome: ToolOutcome } | null> {
    for (const call of state.turn ? callsThatAre('awaiting_helper', state.turn) : []) {
      const sessionId = call.helper!;
      const helper = await this.sessions.load(job.tenantId, sessionId);
      const turn = helperTurn(helper);
      if (turn && isOver(turn)) return { call, outcome: { ...helperResult(helper, turn), toolUseResult: { sessionId, status: turn.status } } };
      if (helper.version > 0) continue;
      const plan = await this.plan(job, state, call);
      const fault = plan === null ? failed('The skill does not run in a helper any more.') : 'content' in plan ? plan : await this.create(job.tenantId, plan);
      if (fault) return { call, outcome: fault };
    }
    return null;
  }

  /** After the turn has begun to wait: a helper that ended just before has found it running. */
  async resume(job: ClaimedTurn, after: SessionState): Promise<void> {
    const { tenantId, sessionId, turnId } = job;
    for (const call of after.turn ? callsThatAre('awaiting_helper', after.turn) : []) {
      const turn = helperTurn(await this.sessions.load(tenantId, call.helper!));
      if (!turn || !isOver(turn)) continue;
      const { toolUseId } = call;
      await this.reports.report({ tenantId, sessionId, turnId }, `resume:${call.helper!}:${after.version}`, { type: 'ResumeForHelper', turnId, toolUseId });
      return;
    }
  }

  /** After the outcome is recorded. A failure costs a further look of HelperWatch. */
  async end(tenantId: string, helper: string | null): Promise<void> {
    if (helper !== null) await this.helpers.end(tenantId, helper).catch(() => undefined);
  }
}

function toldOr(error: unknown): ToolOutcome {
  if (error instanceof DomainError && !PASSING.has(error.code)) return failed(`The helper could not be made: ${error.message}`);
  throw error;
}

/** Those of the session, or of them what the agent may have. */
function toolsFor(state: SessionState, agent: AgentDefinition | null): readonly string[] {
  const own = offeredByServer(state).filter(isForHelpers);
  return own.flatMap(({ name }) => ((agent?.tools?.includes(name) ?? true) ? [name] : []));
}

/** What shapes the answers of the session, shapes those of its helpers, but for what an agent says. Rules are not copied: those in force of the parent apply (CallRules). */
function settingsOf({ settings }: SessionState, { title, agent }: HelperTask): SessionSettings {
  const { model, system, context, systemContext, permissionMode, autoCompact, modelOptions } = settings;
  const { tool_choice: _, ...options } = modelOptions ?? {};
  return {
    ...NO_SETTINGS,
    ...{
      title: title.replaceAll('\0', '').trim().slice(0, TITLE_LENGTH).toWellFormed() || null,
      model: agent?.model ?? model,
      system: agent?.prompt ?? system,
      context,
      systemContext,
      permissionMode,
    },
    ...(autoCompact === undefined ? {} : { autoCompact }),
    ...(modelOptions ? { modelOptions: options } : {}),
  };
}

/** The text of a task is no command, whatever it begins with. */
function submissionOf(id: string, { input, route }: HelperTask, asked: Submission | undefined, maxCharacters: number): Submission {
  const given = {
    ...({ input, mode: 'prompt' } as const),
    ...(route.kind === 'prompt' ? { skipSlashCommands: true } : {}),
    ...(asked?.timeZone === undefined ? {} : { timeZone: asked.timeZone }),
    ...(asked?.workload === undefined ? {} : { workload: asked.workload }),
  };
  const ids = { promptId: deriveId(id, 'prompt'), turnId: deriveId(id, 'turn'), uuid: deriveId(id, 'message') };
  const token = asked?.tokenId === undefined ? {} : { tokenId: asked.tokenId };
  return { ...acceptSubmission(given, ids, { maxCharacters }), route, ...token };
}
