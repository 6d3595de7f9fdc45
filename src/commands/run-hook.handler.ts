import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Json } from '../core/message/content.js';
import { type HookCall, type HookEvent, Hooks, Sessions } from '../core/ports.js';
import { requireAccess } from '../core/session/access.js';
import type { Carried } from './context.js';
import { type Executed, Executor } from './execute.js';
import { type HookRequest, RunHookCommand } from './run-hook.command.js';
import type { HookRun } from '../core/hooks/hook-run.js';

@CommandHandler(RunHookCommand)
export class RunHookHandler implements ICommandHandler<RunHookCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly sessions: Sessions,
    private readonly hooks: Hooks,
  ) {}

  async execute({ context, request }: RunHookCommand): Promise<Carried & { readonly outcomes: readonly HookRun[] }> {
    const { principal, sessionId, workload } = context;
    const before = await this.sessions.load(principal.tenantId, sessionId);
    requireAccess(before, principal);
    const { permissionMode, model } = before.settings;
    // A repeat answers as the first time did; what hooks bring about outside must not happen again.
    const done = await this.executor.replay(context);
    if (done) return answerOf(done);
    const input = { ...usualInput(request.event, model), ...request.input, ...toolMembers(request) };
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

/** What a hook of the event can count on, when the caller does not say otherwise. */
function usualInput(event: HookEvent, model: string): Members {
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

/** What matchers are tried on. Without the name of a tool, hooks of every tool run. */
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

function answerOf({ state, events, replayed }: Executed): Carried & { readonly outcomes: readonly HookRun[] } {
  return { version: state.version, replayed, outcomes: events.flatMap((event) => (event.type === 'hook.completed' ? [event.data] : [])) };
}
