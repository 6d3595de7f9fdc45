import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { requireNoHold } from '../../session/decide/erasure.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import { EventStore, Sessions } from '../../ports/index.js';
import { systemPrincipal } from '../../../packages/protocol/access/principal.js';
import { requireAccess } from '../../session/state/access.js';
import { erasureView } from '../../session/state/erasure-view.js';
import { erasableUuid } from '../../session/state/message-erasure.js';
import type { SessionState } from '../../session/state/state.js';
import { defineCommand } from '../../engine/commands/define-command.js';
import { requireVersion } from '../../engine/commands/execute.js';
import type { ErasureAnswer } from './erase-session.js';
import { Eraser } from './eraser.js';
import { erasureOfFork, forksErasedWith, forksOf, requireErasable } from './forks.js';

export interface MessageErasure {
  /** Of the message, or the id of its prompt. */
  readonly uuid: string;
  readonly reason: string | null;
  readonly includeForks: boolean;
}

/** Erases the content of one message or prompt, of what was made with it, and of summaries that may quote it. */
export class EraseMessageCommand extends defineCommand<MessageErasure, ErasureAnswer>({ action: 'session.erase' }) {}

@CommandHandler(EraseMessageCommand)
export class EraseMessageHandler implements ICommandHandler<EraseMessageCommand> {
  constructor(
    private readonly eraser: Eraser,
    private readonly sessions: Sessions,
    private readonly store: EventStore,
  ) {}

  async execute({ context, uuid: given, reason, includeForks }: EraseMessageCommand): Promise<ErasureAnswer> {
    const { principal, sessionId, expectedVersion } = context;
    const { tenantId } = principal;
    const before = await this.sessions.load(tenantId, sessionId);
    requireAccess(before, principal);
    requireNoHold(before);
    const uuid = erasableUuid(before, given);
    const erased = [...before.erasures.values()].some(({ scope, messages }) => scope === 'session' || messages?.includes(uuid));
    if (!erased) {
      requireVersion(before, expectedVersion);
      requireOwn(before, uuid);
    }
    const forks = await forksOf(this.store, this.sessions, tenantId, sessionId, (fork) => isShown(fork, uuid));
    await requireErasable(this.sessions, tenantId, forks, includeForks);
    const erasureId = deriveId(context.commandId, 'erasure');
    const done = await this.eraser.message(context, erasureId, uuid, reason);
    const all = new Set([...forks, ...(await forksOf(this.store, this.sessions, tenantId, sessionId, (fork) => isShown(fork, uuid)))]);
    const onForks = { ...context, principal: systemPrincipal(tenantId, principal.userId) }; // a fork may belong to another user
    for (const fork of all) await this.eraser.message({ ...onForks, sessionId: fork }, erasureOfFork(done, fork), uuid, reason);
    const after = await this.sessions.load(tenantId, sessionId);
    const erasedForks = await forksErasedWith(done, this.store, this.sessions, tenantId, sessionId);
    return { version: after.version, replayed: false, ...erasureView(after, done), forks: erasedForks };
  }
}

/** A fork with a log that says that the message is erased has nothing of it left. */
function isShown(fork: SessionState, uuid: string): boolean {
  return fork.messages.has(uuid) && ![...fork.erasures.values()].some(({ scope, messages }) => scope === 'session' || messages?.includes(uuid));
}

function requireOwn(state: SessionState, uuid: string): void {
  const record = state.messages.get(uuid);
  const prompt = [...state.prompts.values()].some(({ submission }) => submission.uuid === uuid);
  if (record?.seq === 0) {
    throw new DomainError('message_not_found', 'The message belongs to the session that this one was forked from; erase it there with `includeForks=true`.');
  }
  if (state.queue.some((waiting) => waiting.uuid === uuid)) {
    throw new DomainError('session_busy', 'The message belongs to a queued prompt; withdraw the prompt, then erase it.');
  }
  if (!record && !prompt) throw new DomainError('message_not_found', 'There is no message or prompt with this uuid in the session.');
}
