import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { requireNoHold } from '../../session/decide/erasure.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import { EventStore, Sessions } from '../../ports/index.js';
import { systemPrincipal } from '../../../packages/protocol/access/principal.js';
import { requireAccess } from '../../session/state/access.js';
import { erasureView, type ErasureView } from '../../session/state/erasure-view.js';
import type { CommandResult } from '../../engine/commands/context.js';
import { defineCommand } from '../../engine/commands/define-command.js';
import { requireVersion } from '../../engine/commands/execute.js';
import { Eraser } from './eraser.js';
import { erasureOfFork, forksErasedWith, forksOf, requireErasable } from './forks.js';

export type ErasureAnswer = CommandResult & ErasureView & { readonly forks: readonly string[] };

export interface SessionErasure {
  readonly reason: string | null;
  /** Erase the forks of the session as well, instead of rejecting the command. */
  readonly includeForks: boolean;
}

/** Erases the content of a session. Its log keeps that there was something: ids, kinds, sizes and times. */
export class EraseSessionCommand extends defineCommand<SessionErasure, ErasureAnswer>({ action: 'session.erase' }) {}

@CommandHandler(EraseSessionCommand)
export class EraseSessionHandler implements ICommandHandler<EraseSessionCommand> {
  constructor(
    private readonly eraser: Eraser,
    private readonly sessions: Sessions,
    private readonly store: EventStore,
  ) {}

  async execute({ context, reason, includeForks }: EraseSessionCommand): Promise<ErasureAnswer> {
    const { principal, sessionId } = context;
    const { tenantId } = principal;
    const before = await this.sessions.load(tenantId, sessionId);
    requireAccess(before, principal);
    requireNoHold(before);
    if (!before.erased) requireVersion(before, context.expectedVersion);
    const forks = await this.#forks(tenantId, sessionId);
    await requireErasable(this.sessions, tenantId, forks, includeForks);
    const erasureId = deriveId(context.commandId, 'erasure');
    const done = await this.eraser.session(context, erasureId, reason);
    // A fork may have been made meanwhile. It is erased by the same rule as those before.
    const all = new Set([...forks, ...(await this.#forks(tenantId, sessionId))]);
    const onForks = { ...context, principal: systemPrincipal(tenantId, principal.userId) }; // a fork may belong to another user
    for (const fork of all) await this.eraser.session({ ...onForks, sessionId: fork }, erasureOfFork(done, fork), reason);
    const after = await this.sessions.load(tenantId, sessionId);
    const erasedForks = await forksErasedWith(done, this.store, this.sessions, tenantId, sessionId);
    return { version: after.version, replayed: false, ...erasureView(after, done), forks: erasedForks };
  }

  #forks(tenantId: string, sessionId: string): Promise<readonly string[]> {
    return forksOf(this.store, this.sessions, tenantId, sessionId, ({ erased }) => !erased);
  }
}
