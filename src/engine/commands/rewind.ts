import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { PermissionMode } from '../../../packages/protocol/message/message.js';
import { Clock } from '../../ports/index.js';
import type { ClientSubmission } from '../../session/prompt/accept.js';
import { resubmissionAt } from '../../session/prompt/resubmission.js';
import type { CommandResult } from './context.js';
import { defineCommand } from './define-command.js';
import { eventOf, type Executed, Executor } from './execute.js';
import { InterruptFirst } from './interrupt-first.js';

export type RewindTarget = { readonly before: string } | { readonly after: string };

export interface RewindAnswer {
  /** Id of the rewind, for `restore`. */
  readonly id: string;
  readonly head: string | null;
  readonly removed: readonly string[];
  readonly permissionMode: PermissionMode;
  /** The versions of the files before and after it, if they went back. */
  readonly files?: { readonly from: string | null; readonly to: string | null };
  /** With `before` a prompt that was taken back: its submission, to be sent again. */
  readonly prompt?: ClientSubmission;
}

export interface RewindRequest {
  readonly target: RewindTarget;
  readonly reason: string | null;
  /** Interrupt a running turn first instead of rejecting the rewind. */
  readonly interrupt: boolean;
  /** Whether the files of the session's folder go back. */
  readonly files: boolean;
  /** False: the conversation stays, only the files go back. */
  readonly messages: boolean;
}

/** Moves the head of the conversation, the files of its folder, or both back to before or after a message; nothing is deleted. */
export class RewindCommand extends defineCommand<RewindRequest, RewindAnswer>({ action: 'session.rewind' }) {}

@CommandHandler(RewindCommand)
export class RewindHandler implements ICommandHandler<RewindCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly interruptFirst: InterruptFirst,
    private readonly clock: Clock,
  ) {}

  async execute(command: RewindCommand): Promise<CommandResult & RewindAnswer> {
    // A repeat must not interrupt the turn that runs now, so the receipt is checked first.
    const earlier = command.interrupt ? await this.executor.replay(command.context) : null;
    const { version, state, events, replayed } = earlier ?? (await this.#rewind(command));
    const { rewindId, to, removed, permissionMode, before, files } = eventOf(events, 'session.rewound');
    const prompt = before === undefined || removed.length === 0 ? null : resubmissionAt(state, before);
    return { version, replayed, id: rewindId, head: to, removed, permissionMode, ...(files ? { files } : {}), ...(prompt === null ? {} : { prompt }) };
  }

  /** With `interrupt`: if a queued prompt starts in between, its turn is not interrupted and the rewind is rejected. */
  async #rewind({ context, target, reason, interrupt, files, messages }: RewindCommand): Promise<Executed> {
    const own = interrupt ? await this.interruptFirst.interrupt(context, 'a rewind') : context;
    return this.executor.execute(own, { type: 'Rewind', rewindId: this.clock.uuid(), target, reason, files, messages });
  }
}
