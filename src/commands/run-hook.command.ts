import { Command } from '@nestjs/cqrs';
import type { Json } from '../core/message/content.js';
import type { HookEvent } from '../core/ports.js';
import type { Carried, CommandContext } from './context.js';
import type { HookRun } from '../core/hooks/hook-run.js';

export interface HookRequest {
  readonly event: HookEvent;
  readonly toolName?: string;
  readonly toolInput?: { readonly [key: string]: Json };
  /** Further members of what the hooks read, or others in place of the usual ones. */
  readonly input?: { readonly [key: string]: Json };
}

/** Runs the hooks that match, now, and records what each of them did. */
export class RunHookCommand extends Command<Carried & { readonly outcomes: readonly HookRun[] }> {
  constructor(
    readonly context: CommandContext,
    readonly request: HookRequest,
  ) {
    super();
  }
}
