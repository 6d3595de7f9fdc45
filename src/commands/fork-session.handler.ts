import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Blobs, EventStore, Sessions } from '../core/ports.js';
import { requireAccess } from '../core/session/access.js';
import type { Fork } from '../core/session/commands.js';
import type { SessionSettings } from '../core/session/events.js';
import { defaultForkPoint, forkSettings, requireForkPoint } from '../core/decide/fork.js';
import { sessionView, type SessionView } from '../core/session/session-view.js';
import type { Carried } from './context.js';
import { Executor, requireVersion } from './execute.js';
import { ForkSessionCommand } from './fork-session.command.js';

@CommandHandler(ForkSessionCommand)
export class ForkSessionHandler implements ICommandHandler<ForkSessionCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly sessions: Sessions,
    private readonly store: EventStore,
    private readonly blobs: Blobs,
  ) {}

  async execute(command: ForkSessionCommand): Promise<Carried & SessionView> {
    const { context, forkId } = command;
    const beginning = await this.#beginning(command);
    const { state, replayed } = await this.executor.execute({ ...context, sessionId: forkId, expectedVersion: null }, { type: 'CreateSession', ...beginning });
    return { ...sessionView(forkId, state), replayed };
  }

  async #beginning({ context, forkId, at: wanted, title }: ForkSessionCommand): Promise<{ readonly settings: SessionSettings; readonly fork: Fork }> {
    const { principal, sessionId, expectedVersion } = context;
    const { tenantId } = principal;
    // A repeat gets the first answer, whatever has become of the session since.
    const made = await this.sessions.load(tenantId, forkId);
    if (made.forkedFrom) return { settings: made.settings, fork: { from: made.forkedFrom, serverTools: made.serverTools } };
    const parent = await this.sessions.load(tenantId, sessionId);
    requireAccess(parent, principal);
    requireVersion(parent, expectedVersion);
    if (wanted !== null) requireForkPoint(parent, wanted);
    const at = wanted ?? defaultForkPoint(parent);
    const settings = forkSettings(parent, at, title);
    const { version: seq, serverTools } = parent;
    const headHash = await this.store.hashAt(tenantId, sessionId, seq);
    if (headHash === null) throw new Error(`session ${sessionId} has no event ${seq}, which was there just now`);
    // Before the fork is there, so that nobody meets it without its files; repeating is harmless. Not for a repeat: it may name a session that is not the caller's.
    await this.blobs.share(tenantId, sessionId, forkId);
    return { settings, fork: { from: { sessionId, at, seq, headHash }, serverTools } };
  }
}
