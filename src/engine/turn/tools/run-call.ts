import { Inject, Injectable, Logger } from '@nestjs/common';
import { MediaIntake } from '../../media/media-intake.js';
import { type KeptResult, leftOut, ResultMedia } from '../../media/result-media.js';
import { type Settings, SETTINGS } from '../../../platform/config/env.js';
import { contextAttachments, readerNotices } from '../../../../packages/protocol/hooks/hook-messages.js';
import type { Json } from '../../../../packages/protocol/message/content.js';
import { Clock, LiveBus, type ToolCall, type ToolOutcome, Tools } from '../../../ports/index.js';
import { mapFiles } from '../../../session/prompt/files/index.js';
import { cutContent } from '../../../../packages/protocol/message/cut-content.js';
import { outcomeMessage } from '../../../session/decide/closed-calls.js';
import type { CallRecord, SessionState } from '../../../session/state/state.js';
import { isForHelper } from '../../../session/state/tool-calls.js';
import { type HookFindings, TurnHooks } from '../hooks/turn-hooks.js';
import { sleep } from '../../dispatch/sleep.js';
import { WorkspaceLog } from '../workspace-log.js';
import { type ClaimedTurn, TurnReports } from '../turn-reports.js';
import { DecideCalls } from './decide-calls.js';
import { HelperCalls } from './helper-calls.js';
import { throttled } from './throttled.js';
import { toolCall } from './tool-call.js';
import type { Draft } from '../../../../packages/protocol/message/draft.js';

/** Minimum interval between two progress messages of a call. */
const PROGRESS_INTERVAL_MS = 100;

/** With files stored; `notes`: lines about its images. */
type KeptOutcome = ToolOutcome & Partial<Pick<KeptResult, 'notes'>>;

export interface Signals {
  /** Stops the call: the turn is interrupted or over, or `process` aborts. */
  readonly stop: AbortSignal;
  /** The process stops, or this worker has lost the job. */
  readonly process: AbortSignal;
}

/** How a call has ended. */
export interface Ended {
  readonly outcome: ToolOutcome;
  readonly durationMs: number;
}

/** Runs one call: records its start, runs the tool and the PostToolUse hooks, records its outcome. */
@Injectable()
export class RunCall {
  readonly #log = new Logger(RunCall.name);

  constructor(
    private readonly tools: Tools,
    private readonly decideCalls: DecideCalls,
    private readonly helpers: HelperCalls,
    private readonly hooks: TurnHooks,
    private readonly reports: TurnReports,
    private readonly live: LiveBus,
    private readonly clock: Clock,
    private readonly media: ResultMedia,
    private readonly intake: MediaIntake,
    private readonly workspace: WorkspaceLog,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_TOOL_RESULT_CHARACTERS' | 'TOOL_STOP_GRACE_MS'>,
  ) {}

  /** The session afterwards; null when the call was abandoned. Throws what keeps its outcome from being recorded. */
  async execute(job: ClaimedTurn, state: SessionState, record: CallRecord, { stop, process }: Signals): Promise<SessionState | null> {
    const call = toolCall(job, state, record, this.clock.now());
    const { turnId } = job;
    const { toolUseId } = call;
    const forbidden = await this.decideCalls.forbids(job, state, record);
    if (forbidden) return (await this.reports.report(job, `forbid:${this.clock.uuid()}`, { type: 'RecordDecisions', turnId, decisions: [forbidden] })).state;
    const plan = isForHelper(record) ? await this.helpers.plan(job, state, record) : null;
    const helper = plan && 'id' in plan ? plan : null;
    // A unique id: of two workers that start the same call, the second is rejected.
    const begun = { type: 'StartCall' as const, turnId, toolUseId, ...(helper ? { helper: helper.id } : {}) };
    const { state: after } = await this.reports.report(job, `start:${this.clock.uuid()}`, begun);
    const started = this.clock.now();
    const fault = helper ? await this.helpers.create(job.tenantId, helper) : (plan as ToolOutcome | null);
    if (helper && !fault) return after;
    const outcome = fault ?? (await this.#runTool(call, stop));
    return outcome && this.conclude(job, state, record, { outcome, durationMs: this.clock.now() - started }, { stop, process });
  }

  /** Records the outcome of a call that was started, after its hooks. */
  async conclude(job: ClaimedTurn, state: SessionState, record: CallRecord, ended: Ended, { stop, process }: Signals): Promise<SessionState> {
    const call = toolCall(job, state, record, this.clock.now());
    const { turnId } = job;
    const { toolUseId } = call;
    const { outcome, durationMs } = ended;
    const ending = stop.aborted ? ('interrupted' as const) : ('finished' as const);
    const findings = ending === 'finished' && !outcome.isError ? await this.hooks.postToolUse(call, outcome, stop) : null;
    if (mayWrite(state, call.name) || findings?.runs.length) await this.workspace.record(job, toolUseId);
    const kept = await this.#withStoredFiles(job, state.settings.model, toolUseId, outcome);
    const report = {
      ...{ type: 'RecordOutcome' as const, turnId, toolUseId, outcome: ending, isError: outcome.isError, durationMs },
      messages: this.#messages(call, kept, findings),
      hookRuns: findings?.runs ?? [],
      endReason: findings?.verdict.prevented ?? null,
      leavesPlanMode: outcome.leavesPlanMode ?? false,
    };
    return (await this.reports.keep(job, `outcome:${this.clock.uuid()}`, report, process)).state;
  }

  /** Null when the tool did not stop within TOOL_STOP_GRACE_MS of `stop`. */
  async #runTool(call: ToolCall, stop: AbortSignal): Promise<ToolOutcome | null> {
    const { sessionId, turnId, toolUseId, name } = call;
    const progress = throttled(PROGRESS_INTERVAL_MS, (data: Json) => {
      this.live.publish({ kind: 'delta', sessionId, type: 'tool.progress', data: { turnId, toolUseId, name, data } });
    });
    const done = new AbortController();
    const run = this.tools.run(call, progress.update, stop).catch((error: unknown): ToolOutcome => {
      this.#log.error(error);
      return { content: `The tool ${name} failed with an internal error.`, isError: true };
    });
    try {
      return await Promise.race([run, graceExpired(stop, this.settings.TOOL_STOP_GRACE_MS, done.signal)]);
    } finally {
      done.abort();
      progress.end();
    }
  }

  /** A result is recorded in any case: files that cannot be stored or decoded are left out. */
  async #withStoredFiles(of: ClaimedTurn, model: string, toolUseId: string, outcome: ToolOutcome): Promise<KeptOutcome> {
    const whole = new AbortController().signal; // a result that was cut short is kept, too
    const content = cutContent(outcome.content, this.settings.MAX_TOOL_RESULT_CHARACTERS);
    try {
      const kept = await this.media.keep(of, { ...outcome, toolUseId, content }, model, whole);
      const attachments = await Promise.all((outcome.attachments ?? []).map((one) => this.intake.outOfLine(of, one) as Promise<typeof one>));
      return outcome.attachments === undefined ? kept : { ...kept, attachments };
    } catch (error) {
      this.#log.error({ msg: 'the files of a tool result could not be stored', toolUseId, err: error });
      return { ...outcome, content: mapFiles(content, (block) => leftOut(block, 'could not be stored')) };
    }
  }

  #messages({ toolUseId, name }: ToolCall, outcome: KeptOutcome, findings: HookFindings | null): readonly Draft[] {
    const at = this.clock.timestamp();
    const uuid = (): string => this.clock.uuid();
    const { runs, verdict } = findings ?? { runs: [], verdict: null };
    const attachments = [
      ...(verdict && verdict.blocked !== null
        ? [{ type: 'hook_blocking_error', hookName: `PostToolUse:${name}`, hookEvent: 'PostToolUse', toolUseId, blockingError: verdict.blocked }]
        : []),
      ...contextAttachments(runs),
      ...(outcome.attachments ?? []),
    ];
    return [
      outcomeMessage({ ...outcome, toolUseId }, { uuid: uuid(), at }),
      ...attachments.map((attachment): Draft => ({ type: 'attachment', uuid: uuid(), timestamp: at, attachment })),
      ...readerNotices(runs, { at, uuid }),
    ];
  }
}

const mayWrite = ({ serverTools }: SessionState, name: string): boolean => serverTools.find((tool) => tool.name === name)?.effect !== 'read';

/** Resolves `graceMs` after `stop` aborts: the call is then abandoned and its outcome is unknown. Released by `done`. */
function graceExpired(stop: AbortSignal, graceMs: number, done: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    const begin = (): void => void sleep(graceMs, done).then(() => resolve(null));
    if (stop.aborted) begin();
    else stop.addEventListener('abort', begin, { once: true, signal: done });
  });
}
