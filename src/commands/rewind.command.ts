import { Command } from '@nestjs/cqrs';
import type { Content } from '../core/message/content.js';
import type { PermissionMode } from '../core/message/message.js';
import type { Carried, CommandContext } from './context.js';

export type RewindTarget = { readonly before: string } | { readonly after: string };

export interface RewindAnswer {
  /** Names the rewind in the ledger and to `restore`. */
  readonly id: string;
  readonly head: string | null;
  readonly removed: readonly string[];
  readonly permissionMode: PermissionMode;
  /** For `before` a prompt: what had been typed, as it had been typed. */
  readonly prompt?: Content;
}

/** Moves the head of the conversation back to before or after a message; nothing is deleted. */
export class RewindCommand extends Command<Carried & RewindAnswer> {
  constructor(
    readonly context: CommandContext,
    readonly target: RewindTarget,
    readonly reason: string | null,
    /** Interrupt a running turn first instead of refusing. */
    readonly interrupt: boolean,
  ) {
    super();
  }
}
