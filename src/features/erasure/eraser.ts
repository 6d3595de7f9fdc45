import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import { Blobs, EventStore, SessionFolders, Sessions } from '../../ports/index.js';
import type { ContentErased } from '../../../packages/protocol/events/events.js';
import { callsOfMessage, helpersOf, messageErasure, type MessageErasure } from '../../session/state/message-erasure.js';
import type { Command } from '../../session/state/commands.js';
import { isObject } from '../../../packages/protocol/message/unknown-json.js';
import { filesIn } from '../../../packages/protocol/message/files-in.js';
import { erasedChanges, filesOf } from '../../session/state/workspace.js';
import type { SessionState } from '../../session/state/state.js';
import { type CommandContext, OWN_REQUEST } from '../../engine/commands/context.js';
import { Executor } from '../../engine/commands/execute.js';
import { InterruptFirst } from '../../engine/commands/interrupt-first.js';
import { collect } from './collect.js';

type EraseContent = Extract<Command, { type: 'EraseContent' }>;

/** Attempts to find the session at rest, and unchanged until the erasure is appended. */
const ATTEMPTS = 5;

export interface MessageErased {
  /** Of the first erasure, if the message was erased before. */
  readonly erasureId: string;
  /** SHA-256 of the files that were taken from the session; none if it was erased before. */
  readonly files: readonly string[];
}

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

  /** `shared`: files that the erasure took from the session of which this one is a fork, and which the fork was given with the message. */
  async message(context: CommandContext, erasureId: string, uuid: string, reason: string | null, shared: readonly string[] = []): Promise<MessageErased> {
    return this.#untilDone(context, erasureId, () => this.#message(context, erasureId, uuid, reason, shared));
  }

  /** The session may start a turn or change while a step is prepared. A turn that does not stop in time ends the command: it has waited for long. */
  async #untilDone<T>(context: CommandContext, erasureId: string, work: () => Promise<T>): Promise<T> {
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

  async #message(context: CommandContext, erasureId: string, uuid: string, reason: string | null, shared: readonly string[]): Promise<MessageErased> {
    const { tenantId } = context.principal;
    const state = await this.#load(context);
    const { version, titleChosen } = state;
    const earlier = [...state.erasures.values()].find(({ scope, messages }) => scope === 'session' || messages?.includes(uuid));
    if (earlier) return { erasureId: earlier.erasureId, files: [] };
    const { messages, carries } = required(state, uuid);
    const found = await collect(this.store, { tenantId, sessionId: context.sessionId }, { after: 0, upTo: version, limit: Infinity }, carries);
    const inherited = await this.#inheritedFiles(tenantId, state, messages);
    const taken = [...new Set([...found.files, ...shared.filter((file) => !found.kept.has(file))])].filter((file) => !inherited.has(file));
    const files = await this.#files(tenantId, state, found.events);
    const isTitleGone = !titleChosen && found.events.some(({ data }) => typeof data === 'object' && data !== null && 'title' in data);
    const step: ContentErased = {
      ...{ erasureId, scope: 'message', messages, reason, events: found.events, bytes: found.bytes, blobs: taken.length },
      ...(files.length > 0 ? { files } : {}),
      ...(isTitleGone ? { untitled: true } : {}),
      isComplete: true,
    };
    const before = state.workspace.versions;
    const written = files.flatMap((one) => before.get(one.version)?.files.map(({ path }) => path) ?? []);
    // Whatever becomes of this process, a sweep of some process erases the helpers.
    await this.#step(context, version, step, { files: taken, helpers: helpersOf(state, callsOfMessage(state, uuid)) });
    // What a later step has written at the same path stays.
    const { workspace } = await this.#load(context);
    const there = filesOf(workspace, workspace.head);
    const gone = written.filter((file) => !there.has(file));
    if (gone.length > 0) await this.folders.removeFiles(tenantId, context.sessionId, gone);
    return { erasureId, files: taken };
  }

  /** What a fork has of its parent refers to these files, which no event of its own log names. */
  async #inheritedFiles(tenantId: string, { forkedFrom, messages, workspace }: SessionState, erased: readonly string[]): Promise<ReadonlySet<string>> {
    if (forkedFrom === null) return new Set();
    const above = (await this.sessions.load(tenantId, forkedFrom.sessionId)).workspace.versions;
    const files = [...workspace.versions.keys()].flatMap((version) => above.get(version)?.files ?? []);
    const shown = [...messages.values()].filter(({ seq, message }) => seq === 0 && !erased.includes(message.uuid));
    return new Set([...files.map(({ sha256 }) => sha256), ...shown.flatMap(({ message }) => filesIn(message))]);
  }

  /** The changes of the session's folder that are erased. A fork has those of its parent, which were erased there first. */
  async #files(tenantId: string, { workspace, forkedFrom }: SessionState, events: ContentErased['events']): Promise<NonNullable<ContentErased['files']>> {
    const named = events.flatMap(({ data }) => (isObject(data) && typeof data['version'] === 'string' ? [data['version']] : []));
    const own = erasedChanges(workspace, named);
    if (forkedFrom === null || workspace.versions.size === 0) return own;
    const above = (await this.sessions.load(tenantId, forkedFrom.sessionId)).workspace.versions;
    const shared = [...workspace.versions.values()].flatMap(({ version, removed }) => {
      const there = above.get(version)?.removed;
      return there && !removed ? [{ version, removed: there }] : [];
    });
    return [...shared, ...own];
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
