import { Command } from '@nestjs/cqrs';
import type { Json } from '../core/message/content.js';
import type { Carried, CommandContext } from './context.js';

export interface ToolDecision {
  readonly toolUseId: string;
  readonly decision: 'allow' | 'reject' | 'cancel';
  /** With a rejection: what the model is told. */
  readonly feedback: string | null;
  /** With consent: the input to run it with instead. */
  readonly updatedInput: { readonly [key: string]: Json } | null;
}

/** A person's word about a tool call that asks for it. */
export class DecideToolCommand extends Command<Carried & Pick<ToolDecision, 'toolUseId' | 'decision'>> {
  constructor(
    readonly context: CommandContext,
    readonly decision: ToolDecision,
  ) {
    super();
  }
}
