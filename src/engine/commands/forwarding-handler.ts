import type { Type } from '@nestjs/common';
import { type Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, GateSource } from '../../ports/index.js';
import type { UserCommand } from '../../session/state/commands.js';
import type { CommandContext, CommandResult } from './context.js';
import { type Executed, Executor } from './execute.js';

/** Sources of what a core command carries besides the caller's input: ids, times, gates. */
export interface Sources {
  readonly clock: Clock;
  readonly gates: GateSource;
}

/** A handler for a command that is one core command: translate, execute, answer. `version` and `replayed` are added to the answer. */
export function forwardingHandler<Answer, C extends Command<CommandResult & Answer> & { readonly context: CommandContext }>(
  type: Type<C>,
  translate: (command: C, sources: Sources) => UserCommand | Promise<UserCommand>,
  answer: (executed: Executed, command: C) => Answer,
): Type<ICommandHandler<C>> {
  @CommandHandler(type)
  class ForwardingHandler {
    constructor(
      private readonly executor: Executor,
      private readonly clock: Clock,
      private readonly gates: GateSource,
    ) {}

    async execute(command: C): Promise<CommandResult & Answer> {
      const { clock, gates } = this;
      const executed = await this.executor.execute(command.context, await translate(command, { clock, gates }));
      return { version: executed.version, replayed: executed.replayed, ...answer(executed, command) };
    }
  }
  return ForwardingHandler as unknown as Type<ICommandHandler<C>>;
}
