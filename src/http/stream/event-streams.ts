import { setMaxListeners } from 'node:events';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Clock, EventStore, LiveBus, SessionList, type SessionListItem, Telemetry, unfinishedChannel, userChannel } from '../../ports/index.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { leaveDoor } from '../access/tenant-door.js';
import { EventStream } from './event-stream.js';
import { SessionChanges } from './session-changes.js';
import { mayEndReading } from '../../session/state/access.js';
import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import { OpenRights } from './open-rights.js';
import { type Follower, SessionTail } from './session-tail.js';
import { SharedReads } from './shared-reads.js';
import { EVENT_FORMAT, type StreamFormat } from './stream-format.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

type StreamSettings = Pick<Settings, 'STREAM_HEARTBEAT_MS' | 'STREAM_BUFFER_BYTES' | 'STREAM_STALL_MS' | 'STREAMS_PER_USER'>;

/** All event streams of this process, and the session tails they share. */
@Injectable()
export class EventStreams implements BeforeApplicationShutdown {
  readonly #tails = new Map<string, SessionTail>();
  readonly #responses = new Set<Response>();
  readonly #perUser = new Map<string, number>();
  readonly #changes = new SharedReads<readonly SessionListItem[]>();
  readonly #stopping = withoutListenerLimit(new AbortController());

  constructor(
    private readonly store: EventStore,
    private readonly bus: LiveBus,
    private readonly queries: SessionQueries,
    private readonly sessions: SessionList,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    private readonly rights: OpenRights,
    @Inject(SETTINGS) private readonly settings: StreamSettings,
  ) {}

  /** Aborted when the process shuts down. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Streams the events after `after` until the client disconnects. Resolves after the replay. */
  async open(response: Response, principal: AuthorizedCaller, sessionId: string, after: number, format: StreamFormat = EVENT_FORMAT): Promise<void> {
    const { version, userId: ownerId, turnId } = await this.queries.session(principal, sessionId);
    if (after > version) {
      throw new DomainError('invalid_input', 'The stream cannot start after the last event.', [
        { pointer: '?after', text: `is beyond the last event, ${version}` },
      ]);
    }
    if (response.req.method === 'HEAD') response.type('text/event-stream').end();
    if (response.destroyed || response.writableEnded) return;
    this.#admit(principal, response);
    const page = (from: number, limit: number) => this.store.page(principal.tenantId, sessionId, from, limit);
    const options = { bufferBytes: this.settings.STREAM_BUFFER_BYTES, stallMs: this.settings.STREAM_STALL_MS };
    const tail = this.#tail(principal.tenantId, sessionId, version);
    const ends = (event: SessionEvent): boolean => event.seq > version && mayEndReading(event, principal, ownerId);
    const stream = new EventStream(response, page, tail, options, after, format, ends);
    this.rights.watch(response, principal, ownerId === principal.userId ? null : (caller) => this.queries.session(caller, sessionId));
    response.once('close', this.follow(principal.tenantId, sessionId, version, stream));
    if (format.cutsOff) {
      const cut = (): void => void response.destroy();
      this.stopping.addEventListener('abort', cut);
      response.once('close', () => this.stopping.removeEventListener('abort', cut));
    }
    await this.bus.received(sessionId); // so that no delta after `synced` is missed
    if (response.destroyed) return;
    await stream.start();
    // A reader who was there before the turn receives all of its answer, and is sent nothing twice.
    const mayLack = turnId !== null || tail.position > version;
    if (mayLack && !response.destroyed) this.bus.publish({ kind: 'advanced', sessionId: unfinishedChannel(sessionId), seq: 1 });
  }

  /** Streams the changes of the caller's sessions after `after`, or (null) from now on, until the client disconnects. Resolves after the replay. */
  async openAll(response: Response, { tenantId, userId, ...principal }: AuthorizedCaller, after: string | null): Promise<void> {
    if (response.req.method === 'HEAD') response.type('text/event-stream').end();
    if (response.destroyed || response.writableEnded) return;
    this.#admit({ tenantId, userId, ...principal }, response);
    this.rights.watch(response, { tenantId, userId, ...principal }, null);
    const { STREAM_BUFFER_BYTES: bufferBytes, STREAM_STALL_MS: stallMs, STREAM_HEARTBEAT_MS: heartbeatMs } = this.settings;
    // One change is a hint for all streams of the user at once.
    const changed = (since: string, limit: number, lateMs: number | null) =>
      this.#changes.read([tenantId, userId, since, limit, lateMs].join(' '), () => this.sessions.changedSince(tenantId, userId, since, limit, lateMs));
    const changes = new SessionChanges(response, changed, { bufferBytes, stallMs, heartbeatMs }, after ?? this.clock.timestamp());
    const unsubscribe = this.bus.subscribe(userChannel(tenantId, userId), () => changes.hint(), 'hints');
    response.once('close', () => {
      unsubscribe();
      changes.close();
    });
    await changes.start(after !== null);
  }

  /** Delivers events after `version`, or after the position of an existing tail, to `follower`. Returns the unsubscribe function. */
  follow(tenantId: string, sessionId: string, version: number, follower: Follower): () => void {
    const key = keyOf(tenantId, sessionId);
    const tail = this.#tail(tenantId, sessionId, version);
    tail.follow(follower);
    return () => {
      tail.unfollow(follower);
      if (tail.size > 0) return;
      tail.close();
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    };
  }

  /** Open streams and tails, and the bytes buffered for slow clients: for leak tests. */
  get held(): { readonly streams: number; readonly tails: number; readonly bytes: number } {
    const bytes = [...this.#responses].reduce((sum, response) => sum + response.writableLength, 0);
    return { streams: this.#responses.size, tails: this.#tails.size, bytes };
  }

  beforeApplicationShutdown(): void {
    for (const tail of this.#tails.values()) tail.flush(); // the end of the last turn is of this tick
    this.#stopping.abort();
    for (const response of this.#responses) response.end();
  }

  #tail(tenantId: string, sessionId: string, version: number): SessionTail {
    const key = keyOf(tenantId, sessionId);
    const existing = this.#tails.get(key);
    if (existing) return existing;
    const page = (after: number, limit: number) => this.store.page(tenantId, sessionId, after, limit);
    const options = { heartbeatMs: this.settings.STREAM_HEARTBEAT_MS, bufferBytes: this.settings.STREAM_BUFFER_BYTES };
    const tail = new SessionTail(sessionId, page, this.bus, options, version);
    this.#tails.set(key, tail);
    return tail;
  }

  #admit({ tenantId, userId }: AuthorizedCaller, response: Response): void {
    if (this.stopping.aborted) throw new DomainError('unavailable', 'The server is shutting down; reconnect.', [], { retryAfter: 1 });
    const user = keyOf(tenantId, userId);
    const open = this.#perUser.get(user) ?? 0;
    if (open >= this.settings.STREAMS_PER_USER) {
      throw new DomainError('limit_reached', `You have ${open} open event streams, which is the limit; close one first.`, [], { retryAfter: 5 });
    }
    this.#perUser.set(user, open + 1);
    leaveDoor(response);
    this.#responses.add(response);
    this.telemetry.gauge('event_streams', this.#responses.size);
    response.once('close', () => {
      this.#responses.delete(response);
      this.telemetry.gauge('event_streams', this.#responses.size);
      const left = (this.#perUser.get(user) ?? 1) - 1;
      if (left > 0) this.#perUser.set(user, left);
      else this.#perUser.delete(user);
    });
  }
}

function keyOf(tenantId: string, id: string): string {
  return `${tenantId}/${id}`;
}

/** Every stream and every waiting request adds a listener; Node warns of a leak above ten. */
function withoutListenerLimit(controller: AbortController): AbortController {
  setMaxListeners(0, controller.signal);
  return controller;
}
