import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { HookRun } from '../../../packages/protocol/hooks/hook-run.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import type { HookEvent } from '../../../packages/protocol/hooks/hook-events.js';
import { type HookCall, Hooks, Sessions } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import type { CommandResult } from '../../engine/commands/context.js';
import { defineCommand } from '../../engine/commands/define-command.js';
import { type Executed, Executor } from '../../engine/commands/execute.js';

export interface HookRequest {
  readonly event: HookEvent;
  readonly toolName?: string;
  readonly toolInput?: { readonly [key: string]: Json };
  /** Members of the hooks' input, in addition to the default ones or replacing them. */
  readonly input?: { readonly [key: string]: Json };
}

/** Runs the matching hooks now and records the outcome of each. */
export class RunHookCommand extends defineCommand<{ request: HookRequest }, { readonly outcomes: readonly HookRun[] }>({ action: 'session.tools' }) {}

@CommandHandler(RunHookCommand)
export class RunHookHandler implements ICommandHandler<RunHookCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly sessions: Sessions,
    private readonly hooks: Hooks,
  ) {}

  async execute({ context, request }: RunHookCommand): Promise<CommandResult & { readonly outcomes: readonly HookRun[] }> {
    const { principal, sessionId, workload } = context;
    const state = await this.sessions.load(principal.tenantId, sessionId);
    requireAccess(state, principal);
    const { permissionMode, model } = state.settings;
    // Checked before the hooks run, because their side effects must not happen twice.
    const earlier = await this.executor.replay(context);
    if (earlier) return answerOf(earlier);
    const input = { ...defaultInput(request.event, model), ...request.input, ...toolMembers(request) };
    const subject = subjectOf(request, input);
    const call: HookCall = {
      event: request.event,
      tenantId: principal.tenantId,
      sessionId,
      permissionMode,
      input,
      ...(subject === null ? {} : { subject }),
      ...(workload === undefined ? {} : { workload }),
    };
    const runs = await this.hooks.run(call, new AbortController().signal);
    return answerOf(await this.executor.execute(context, { type: 'RecordHookRuns', runs }));
  }
}

type Members = { readonly [key: string]: Json };

/** The input that hooks of an event always get; the caller's members replace these. */
function defaultInput(event: HookEvent, model: string): Members {
  switch (event) {
    case 'UserPromptSubmit':
      return { prompt: '' };
    case 'SessionStart':
      return { source: 'startup', model };
    case 'PreToolUse':
      return { tool_name: '', tool_input: {}, tool_use_id: '' };
    case 'PostToolUse':
      return { tool_name: '', tool_input: {}, tool_response: null, tool_use_id: '' };
    case 'Stop':
      return { stop_hook_active: false, last_assistant_message: '' };
    case 'PreCompact':
      return { trigger: 'manual', custom_instructions: '' };
  }
}

function toolMembers({ toolName, toolInput }: HookRequest): Members {
  return { ...(toolName === undefined ? {} : { tool_name: toolName }), ...(toolInput === undefined ? {} : { tool_input: toolInput }) };
}

/** The value that matchers test. Null (no tool name): hooks of every tool run. */
function subjectOf({ event }: HookRequest, { tool_name: name, source, trigger }: Members): string | null {
  switch (event) {
    case 'SessionStart':
      return String(source);
    case 'PreCompact':
      return String(trigger);
    case 'PreToolUse':
    case 'PostToolUse':
      return typeof name === 'string' && name !== '' ? name : null;
    default:
      return null;
  }
}

function answerOf({ version, events, replayed }: Executed): CommandResult & { readonly outcomes: readonly HookRun[] } {
  return { version, replayed, outcomes: events.flatMap((event) => (event.type === 'hook.completed' ? [event.data] : [])) };
}
