import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { defaultForkPoint, forkSettings, requireForkPoint } from '../../session/decide/fork.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Blobs, EventStore, Sessions } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import type { Fork } from '../../session/state/commands.js';
import type { SessionSettings } from '../../../packages/protocol/events/events.js';
import { sessionView, type SessionView } from '../../session/state/session-view.js';
import { conversationOf } from '../../session/transcript/projection.js';
import type { CommandResult } from './context.js';
import { defineCommand } from './define-command.js';
import { AccessLog } from './access-log.js';
import { Executor, requireVersion } from './execute.js';

export interface ForkRequest {
  /** Id of the new session: the same for every repeat of one request. */
  readonly forkId: string;
  /** The last message that both sessions share; null: the newest. */
  readonly at: string | null;
  /** Null: the title of the session that is forked. */
  readonly title: string | null;
}

/** Creates a session that continues this one from one of its messages and shares the history up to it. This session does not change, and may run meanwhile. */
export class ForkSessionCommand extends defineCommand<ForkRequest, SessionView>({ action: 'session.fork' }) {}

@CommandHandler(ForkSessionCommand)
export class ForkSessionHandler implements ICommandHandler<ForkSessionCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly sessions: Sessions,
    private readonly store: EventStore,
    private readonly blobs: Blobs,
    private readonly accesses: AccessLog,
  ) {}

  async execute(command: ForkSessionCommand): Promise<CommandResult & SessionView> {
    const { context, forkId } = command;
    const start = await this.#start(command);
    const { state, replayed } = await this.executor.execute({ ...context, sessionId: forkId, expectedVersion: null }, { type: 'CreateSession', ...start });
    return { ...sessionView(forkId, state), replayed };
  }

  async #start({ context, forkId, at: wanted, title }: ForkSessionCommand): Promise<{ readonly settings: SessionSettings; readonly fork: Fork }> {
    const { principal, sessionId, expectedVersion } = context;
    const { tenantId } = principal;
    // A repeat gets the first answer, even if the session has changed since.
    const made = await this.sessions.load(tenantId, forkId);
    if (made.forkedFrom)
      return { settings: made.settings, fork: { from: made.forkedFrom, serverTools: made.serverTools, opening: conversationOf(made, made.forkedFrom.at) } };
    const parent = await this.sessions.load(tenantId, sessionId);
    requireAccess(parent, principal);
    if (parent.erased) throw new DomainError('session_erased', 'The content of this session was erased; there is nothing to fork.');
    requireVersion(parent, expectedVersion);
    if (wanted !== null) requireForkPoint(parent, wanted);
    const at = wanted ?? defaultForkPoint(parent);
    const settings = forkSettings(parent, at, title);
    const { version: seq, serverTools } = parent;
    const opening = conversationOf(parent, at);
    const headHash = await this.store.hashAt(tenantId, sessionId, seq);
    if (headHash === null) throw new Error(`session ${sessionId} has no event ${seq}, although its version is at least that`);
    // Before the fork exists, so that it never exists without its files; idempotent. Not on a repeat, which has not checked access to the session it names.
    await this.blobs.share(tenantId, sessionId, forkId);
    await this.accesses.recordFork(principal, sessionId, forkId);
    return { settings, fork: { from: { sessionId, at, seq, headHash }, serverTools, opening } };
  }
}
