import { Command } from '@nestjs/cqrs';
import type { Content, Json } from '../core/message/content.js';
import type { Carried, CommandContext } from './context.js';

/** One call's result, as the client that ran it posts it. */
export interface PostedToolResult {
  readonly toolUseId: string;
  readonly content: Content;
  readonly isError: boolean;
  /** Structured output for readers; the model gets `content`. */
  readonly toolUseResult?: Json;
}

/** Answers tool calls that the waiting turn handed to the client. */
export class PostToolResultsCommand extends Command<Carried & { readonly accepted: number }> {
  constructor(
    readonly context: CommandContext,
    readonly results: readonly PostedToolResult[],
  ) {
    super();
  }
}
