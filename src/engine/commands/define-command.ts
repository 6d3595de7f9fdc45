import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Action } from '../../../packages/protocol/access/actions.js';
import { Clock, GateSource } from '../../ports/index.js';
import type { UserCommand } from '../../session/state/commands.js';
import type { CommandContext, CommandResult } from './context.js';
import { type Executed, Executor } from './execute.js';

/** Sources of what a core command carries besides the caller's input: ids, times, gates. */
export interface Sources {
  readonly clock: Clock;
  readonly gates: GateSource;
}

export type CommandOf<Input extends object, Answer extends object> = Command<CommandResult & Answer> & { readonly context: CommandContext } & Readonly<Input>;

export interface CommandRule<Input extends object, Answer extends object> {
  /** The core command that it becomes. */
  readonly rule: (command: CommandOf<Input, Answer>, sources: Sources) => UserCommand | Promise<UserCommand>;
  /** What is answered besides `version` and `replayed`. */
  readonly answer: (executed: Executed, command: CommandOf<Input, Answer>) => Answer;
}

/** `action`: the right that it requires; its routes have no other. Without a rule, a class with `@CommandHandler` handles the command. */
export type CommandDefinition<Input extends object, Answer extends object> = { readonly action: Action } & (
  | CommandRule<Input, Answer>
  | { readonly rule?: never }
);

/** A class of commands, as routes and modules name it. */
export interface CommandType {
  readonly name: string;
  readonly action: Action;
  /** Null: a class with `@CommandHandler` handles it. */
  readonly handler: Type<ICommandHandler> | null;
}

type DefinedCommand<Input extends object, Answer extends object> = CommandType & {
  new (context: CommandContext, ...input: keyof Input extends never ? [] : [input: Input]): CommandOf<Input, Answer>;
};

/**
 * The one place of a command that users send: its input, its right, what it becomes and its answer. Extended by a class, which is what the command bus knows it by;
 * the module of its feature lists the class, or its handler when it has one, and a route names it as `command`.
 */
export function defineCommand<Input extends object, Answer extends object>(definition: CommandDefinition<Input, Answer>): DefinedCommand<Input, Answer> {
  class Defined extends Command<CommandResult & Answer> {
    static readonly action = definition.action;
    static handler: Type<ICommandHandler> | null = null;

    constructor(
      readonly context: CommandContext,
      input?: Input,
    ) {
      super();
      Object.assign(this, input);
    }
  }
  const defined = Defined as unknown as DefinedCommand<Input, Answer>;
  if (definition.rule) Defined.handler = handlerOf(defined as unknown as Type<CommandOf<Input, Answer>>, definition);
  return defined;
}

/** Translate, execute, answer. */
function handlerOf<Input extends object, Answer extends object>(
  type: Type<CommandOf<Input, Answer>>,
  { rule, answer }: CommandRule<Input, Answer>,
): Type<ICommandHandler> {
  @CommandHandler(type)
  class DefinedCommandHandler {
    constructor(
      private readonly executor: Executor,
      private readonly clock: Clock,
      private readonly gates: GateSource,
    ) {}

    async execute(command: CommandOf<Input, Answer>): Promise<CommandResult & Answer> {
      const { clock, gates } = this;
      const executed = await this.executor.execute(command.context, await rule(command, { clock, gates }));
      return { version: executed.version, replayed: executed.replayed, ...answer(executed, command) };
    }
  }
  return DefinedCommandHandler as unknown as Type<ICommandHandler>;
}
