import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import { Blobs, EventStore, SessionFolders, Sessions } from '../../ports/index.js';
import type { ContentErased } from '../../../packages/protocol/events/events.js';
import { callsOfMessage, helpersOf, messageErasure, type MessageErasure } from '../../session/state/message-erasure.js';
import type { Command } from '../../session/state/commands.js';
import type { SessionState } from '../../session/state/state.js';
import { type CommandContext, OWN_REQUEST } from '../../engine/commands/context.js';
import { Executor } from '../../engine/commands/execute.js';
import { InterruptFirst } from '../../engine/commands/interrupt-first.js';
import { collect } from './collect.js';

type EraseContent = Extract<Command, { type: 'EraseContent' }>;

/** Attempts to find the session at rest, and unchanged until the erasure is appended. */
const ATTEMPTS = 5;

/** Erases the content of one session or of one of its messages. Every step is one append, and a repeat continues where the last one ended. */
@Injectable()
export class Eraser {
  constructor(
    private readonly executor: Executor,
    private readonly interruptFirst: InterruptFirst,
    private readonly sessions: Sessions,
    private readonly store: EventStore,
    private readonly blobs: Blobs,
    private readonly folders: SessionFolders,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'ERASURE_BATCH_EVENTS'>,
  ) {}

  /** Resolves to the id of the erasure: of the first one, if the session was erased before. */
  async session(context: CommandContext, erasureId: string, reason: string | null): Promise<string> {
    const id = await this.#untilDone(context, erasureId, () => this.#session(context, erasureId, reason));
    await this.folders.remove(context.principal.tenantId, context.sessionId);
    return id;
  }

  async message(context: CommandContext, erasureId: string, uuid: string, reason: string | null): Promise<string> {
    return this.#untilDone(context, erasureId, () => this.#message(context, erasureId, uuid, reason));
  }

  /** The session may start a turn or change while a step is prepared. A turn that does not stop in time ends the command: it has waited for long. */
  async #untilDone(context: CommandContext, erasureId: string, work: () => Promise<string>): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#stop({ ...context, commandId: deriveId(erasureId, `stop ${attempt}`) });
      try {
        return await work();
      } catch (error) {
        const isMoving = error instanceof DomainError && (error.code === 'session_busy' || error.code === 'version_conflict');
        if (!isMoving || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** Queued prompts would start when the turn ends. */
  async #stop(context: CommandContext): Promise<void> {
    const { turn, queue } = await this.#load(context);
    for (const { promptId } of [...queue]) {
      await this.#execute(context, `withdraw ${promptId}`, null, { type: 'WithdrawPrompt', promptId }).catch((error: unknown) => {
        if (!(error instanceof DomainError) || error.code !== 'prompt_already_started') throw error;
      });
    }
    if (turn) await this.interruptFirst.interrupt({ ...context, expectedVersion: null }, 'an erasure');
  }

  async #session(context: CommandContext, given: string, reason: string | null): Promise<string> {
    const { tenantId } = context.principal;
    const log = { tenantId, sessionId: context.sessionId };
    for (let after = 0; ;) {
      const { version, erased, erasures } = await this.#load(context);
      const begun = [...erasures.values()].find(({ scope }) => scope === 'session');
      if (erased && begun?.endedAt) return begun.erasureId;
      const erasureId = begun?.erasureId ?? given;
      const { events, bytes, next } = await collect(this.store, log, { after, upTo: version, limit: this.settings.ERASURE_BATCH_EVENTS }, () => true);
      const files = await this.blobs.list(tenantId, context.sessionId);
      const terms = { erasureId, scope: 'session', reason: begun?.reason ?? reason } as const;
      await this.#step(context, version, { ...terms, events, bytes, blobs: files.length, isComplete: next === null }, { files: null, helpers: [] });
      if (next === null) return erasureId;
      after = next;
    }
  }

  async #message(context: CommandContext, erasureId: string, uuid: string, reason: string | null): Promise<string> {
    const { tenantId } = context.principal;
    const state = await this.#load(context);
    const { version, titleChosen } = state;
    const earlier = [...state.erasures.values()].find(({ scope, messages }) => scope === 'session' || messages?.includes(uuid));
    if (earlier) return earlier.erasureId;
    const { messages, carries } = required(state, uuid);
    const found = await collect(this.store, { tenantId, sessionId: context.sessionId }, { after: 0, upTo: version, limit: Infinity }, carries);
    const isTitleGone = !titleChosen && found.events.some(({ data }) => typeof data === 'object' && data !== null && 'title' in data);
    const step: ContentErased = {
      ...{ erasureId, scope: 'message', messages, reason, events: found.events, bytes: found.bytes, blobs: found.files.length },
      ...(isTitleGone ? { untitled: true } : {}),
      isComplete: true,
    };
    // Whatever becomes of this process, a sweep of some process erases them.
    await this.#step(context, version, step, { files: found.files, helpers: helpersOf(state, callsOfMessage(state, uuid)) });
    return erasureId;
  }

  #step(context: CommandContext, version: number, step: ContentErased, also: Pick<EraseContent, 'files' | 'helpers'>): Promise<unknown> {
    return this.#execute({ ...context, commandId: step.erasureId }, `step ${version}`, version, { type: 'EraseContent', step, ...also });
  }

  /** Under an id that is derived from the name, so that a repeat after a lost answer has no second effect. */
  #execute(context: CommandContext, name: string, expectedVersion: number | null, command: Parameters<Executor['execute']>[1]): Promise<unknown> {
    return this.executor.execute({ ...context, commandId: deriveId(context.commandId, name), requestHash: OWN_REQUEST, expectedVersion }, command);
  }

  #load({ principal, sessionId }: CommandContext): Promise<SessionState> {
    return this.sessions.load(principal.tenantId, sessionId);
  }
}

function required(state: SessionState, uuid: string): MessageErasure {
  const found = messageErasure(state, uuid);
  if (found) return found;
  throw new DomainError('message_not_found', 'There is no message or prompt with this uuid in the session.');
}
