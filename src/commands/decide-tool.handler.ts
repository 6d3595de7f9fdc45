import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, GateSource } from '../core/ports.js';
import type { Carried } from './context.js';
import { DecideToolCommand, type ToolDecision } from './decide-tool.command.js';
import { Executor } from './execute.js';

@CommandHandler(DecideToolCommand)
export class DecideToolHandler implements ICommandHandler<DecideToolCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly clock: Clock,
    private readonly gates: GateSource,
  ) {}

  async execute({ context, decision }: DecideToolCommand): Promise<Carried & Pick<ToolDecision, 'toolUseId' | 'decision'>> {
    const { tenantId, userId } = context.principal;
    const gates = await this.gates.intake(tenantId);
    const { state, replayed } = await this.executor.execute(context, {
      type: 'DecideTool',
      ...decision,
      by: userId,
      at: this.clock.timestamp(),
      seed: this.clock.uuid(),
      gates,
    });
    return { version: state.version, replayed, toolUseId: decision.toolUseId, decision: decision.decision };
  }
}
