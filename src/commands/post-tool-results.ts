import { Command } from '@nestjs/cqrs';
import type { Content, Json } from '../core/message/content.js';
import type { CommandContext, CommandResult } from './context.js';
import { forwardingHandler } from './forwarding-handler.js';

/** The result of one tool call, posted by the client that ran it. */
export interface PostedToolResult {
  readonly toolUseId: string;
  readonly content: Content;
  readonly isError: boolean;
  /** Structured output for readers; the model gets `content`. */
  readonly toolUseResult?: Json;
}

/** Answers tool calls of the waiting turn that the client runs. */
export class PostToolResultsCommand extends Command<CommandResult & { readonly accepted: number }> {
  constructor(
    readonly context: CommandContext,
    readonly results: readonly PostedToolResult[],
  ) {
    super();
  }
}

export const PostToolResultsHandler = forwardingHandler(
  PostToolResultsCommand,
  ({ results }, { clock }) => ({ type: 'PostToolResults', results: results.map((result) => ({ ...result, uuid: clock.uuid() })), at: clock.timestamp() }),
  (_, { results }) => ({ accepted: results.length }),
);
