import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../packages/protocol/errors.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import { EventStore, Helpers, Sessions } from '../../ports/index.js';
import { systemPrincipal } from '../../../packages/protocol/access/principal.js';
import { requireAccess } from '../../session/state/access.js';
import { erasureView } from '../../session/state/erasure-view.js';
import { type CallsOfMessage, callsOfMessage, erasableUuid, helpersOf } from '../../session/state/message-erasure.js';
import type { SessionState } from '../../session/state/state.js';
import { defineCommand } from '../../engine/commands/define-command.js';
import { requireVersion } from '../../engine/commands/execute.js';
import type { ErasureAnswer } from './erase-session.js';
import { Eraser } from './eraser.js';
import { erasureOfFork, forksErasedWith, forksOf, type Related, relatedTo, requireErasable, requireNoHoldAbove } from './forks.js';

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
    readonly sessions: Sessions,
    readonly store: EventStore,
    readonly helpers: Helpers,
  ) {}

  async execute({ context, uuid: given, reason, includeForks }: EraseMessageCommand): Promise<ErasureAnswer> {
    const { principal, sessionId, expectedVersion } = context;
    const { tenantId } = principal;
    const before = await this.sessions.load(tenantId, sessionId);
    requireAccess(before, principal);
    await requireNoHoldAbove(this.sessions, tenantId, before);
    const uuid = erasableUuid(before, given);
    const erased = [...before.erasures.values()].some(({ scope, messages }) => scope === 'session' || messages?.includes(uuid));
    if (!erased) {
      requireVersion(before, expectedVersion);
      requireOwn(before, uuid);
    }
    const forks = await forksOf(this.store, this.sessions, tenantId, sessionId, (fork) => isShown(fork, uuid));
    const calls = callsOfMessage(before, uuid);
    const made = await this.#madeFor(tenantId, before, calls);
    await requireErasable(this.sessions, tenantId, { forks: [...forks, ...made.forks], helpers: made.helpers }, includeForks);
    const erasureId = deriveId(context.commandId, 'erasure');
    const onForks = { ...context, principal: systemPrincipal(tenantId, principal.userId) }; // a fork may belong to another user
    // Before the message: what a killed process leaves of them is found again only while the message is there.
    for (const fork of made.forks) await this.eraser.session({ ...onForks, sessionId: fork }, erasureOfFork(erasureId, fork), reason);
    const { erasureId: done, files } = await this.eraser.message(context, erasureId, uuid, reason);
    const all = new Set([...forks, ...(await forksOf(this.store, this.sessions, tenantId, sessionId, (fork) => isShown(fork, uuid)))]);
    for (const fork of all) await this.eraser.message({ ...onForks, sessionId: fork }, erasureOfFork(done, fork), uuid, reason, files);
    // The turn was running until now: it may have made more.
    const late = await this.#madeFor(tenantId, await this.sessions.load(tenantId, sessionId), calls);
    const helpers = [...new Set([...made.helpers, ...made.forks, ...late.helpers, ...late.forks])];
    for (const helper of helpers) await this.eraser.session({ ...onForks, sessionId: helper }, erasureOfFork(done, helper), reason);
    const after = await this.sessions.load(tenantId, sessionId);
    const erasedForks = await forksErasedWith(done, this.store, this.sessions, tenantId, sessionId);
    return { version: after.version, replayed: false, ...erasureView(after, done), forks: erasedForks, helpers };
  }

  /** The helpers that carried out calls of the message, with theirs, and forks of them: the prompt and the result are theirs as well. */
  async #madeFor(tenantId: string, state: SessionState, calls: CallsOfMessage): Promise<Related> {
    const all = { forks: new Set<string>(), helpers: new Set<string>() };
    for (const helper of helpersOf(state, calls)) {
      if ((await this.sessions.load(tenantId, helper)).version === 0) continue;
      const { forks, helpers } = await relatedTo(this, tenantId, helper, () => true);
      for (const id of forks) all.forks.add(id);
      for (const id of [helper, ...helpers]) all.helpers.add(id);
    }
    return { forks: [...all.forks], helpers: [...all.helpers] };
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
