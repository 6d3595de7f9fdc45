import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import { EventStore, Helpers, Sessions } from '../../ports/index.js';
import { systemPrincipal } from '../../../packages/protocol/access/principal.js';
import { requireAccess } from '../../session/state/access.js';
import { erasureView, type ErasureView } from '../../session/state/erasure-view.js';
import type { CommandResult } from '../../engine/commands/context.js';
import { defineCommand } from '../../engine/commands/define-command.js';
import { requireVersion } from '../../engine/commands/execute.js';
import { Eraser } from './eraser.js';
import { erasureOfFork, type Related, relatedTo, requireErasable, requireNoHoldAbove } from './forks.js';

export type ErasureAnswer = CommandResult & ErasureView & { readonly forks: readonly string[]; readonly helpers: readonly string[] };

export interface SessionErasure {
  readonly reason: string | null;
  /** Erase the forks of the session as well, instead of rejecting the command. */
  readonly includeForks: boolean;
}

/** Erases the content of a session, and of its helpers. Each log keeps that there was something: ids, kinds, sizes and times. */
export class EraseSessionCommand extends defineCommand<SessionErasure, ErasureAnswer>({ action: 'session.erase' }) {}

@CommandHandler(EraseSessionCommand)
export class EraseSessionHandler implements ICommandHandler<EraseSessionCommand> {
  constructor(
    private readonly eraser: Eraser,
    readonly sessions: Sessions,
    readonly store: EventStore,
    readonly helpers: Helpers,
  ) {}

  async execute({ context, reason, includeForks }: EraseSessionCommand): Promise<ErasureAnswer> {
    const { principal, sessionId } = context;
    const { tenantId } = principal;
    const before = await this.sessions.load(tenantId, sessionId);
    requireAccess(before, principal);
    await requireNoHoldAbove(this.sessions, tenantId, before);
    if (!before.erased) requireVersion(before, context.expectedVersion);
    const related = await this.#related(tenantId, sessionId, ({ erased }) => !erased);
    await requireErasable(this.sessions, tenantId, related, includeForks);
    const erasureId = deriveId(context.commandId, 'erasure');
    const done = await this.eraser.session(context, erasureId, reason);
    // One may have been made meanwhile. It is erased by the same rule as those before.
    const since = await this.#related(tenantId, sessionId, ({ erased }) => !erased);
    const all = new Set([related, since].flatMap(({ forks, helpers }) => [...helpers, ...forks]));
    const onOthers = { ...context, principal: systemPrincipal(tenantId, principal.userId) }; // a fork may belong to another user
    for (const other of all) await this.eraser.session({ ...onOthers, sessionId: other }, erasureOfFork(done, other), reason);
    const after = await this.sessions.load(tenantId, sessionId);
    // A repeated command names those that it named first. Of helpers, the background may have erased some meanwhile, which follow their parent by themselves: see erase_content.
    const { forks, helpers } = await this.#related(tenantId, sessionId, ({ erased, erasures, parent }, other) =>
      parent === null ? erasures.has(erasureOfFork(done, other)) : erased,
    );
    return { version: after.version, replayed: false, ...erasureView(after, done), forks, helpers };
  }

  #related(tenantId: string, sessionId: string, concerns: Parameters<typeof relatedTo>[3]): Promise<Related> {
    return relatedTo(this, tenantId, sessionId, concerns);
  }
}
