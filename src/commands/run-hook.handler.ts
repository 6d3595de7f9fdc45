import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Hooks, Sessions } from '../core/ports.js';
import { requireAccess } from '../core/session/access.js';
import type { HookRun } from '../core/session/events.js';
import type { Carried } from './context.js';
import { Executor } from './execute.js';
import { RunHookCommand } from './run-hook.command.js';

@CommandHandler(RunHookCommand)
export class RunHookHandler implements ICommandHandler<RunHookCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly sessions: Sessions,
    private readonly hooks: Hooks,
  ) {}

  async execute({ context, request }: RunHookCommand): Promise<Carried & { readonly outcomes: readonly HookRun[] }> {
    const before = await this.sessions.load(context.principal.tenantId, context.sessionId);
    requireAccess(before, context.principal);
    const runs = await this.hooks.run(
      {
        event: request.event,
        tenantId: context.principal.tenantId,
        sessionId: context.sessionId,
        permissionMode: before.settings.permissionMode,
        input: { ...request.input, ...(request.toolName === undefined ? {} : { tool_name: request.toolName }) },
        ...(request.toolName === undefined ? {} : { subject: request.toolName }),
        ...(context.workload === undefined ? {} : { workload: context.workload }),
      },
      new AbortController().signal,
    );
    const { state, events, replayed } = await this.executor.execute(context, { type: 'RecordHookRuns', runs });
    const recorded = events.flatMap((event) => (event.type === 'hook.completed' ? [event.data] : []));
    return { version: state.version, replayed, outcomes: recorded };
  }
}
