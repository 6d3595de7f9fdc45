import { DomainError } from '../../../packages/protocol/errors.js';
import type { Clock, Digest, EventStore } from '../../ports/index.js';
import { uuidFromSha256 } from '../../../packages/protocol/message/ids.js';
import { importProjection } from '../../session/transcript/projection.js';
import type { NewEvent, SessionEvent, SessionSettings } from '../../../packages/protocol/events/events.js';
import type { CommandContext } from '../../engine/commands/context.js';

/** Limits of one append, so that serializing a batch does not block the event loop. */
const BATCH_BYTES = 256 * 1024;
const BATCH_EVENTS = 250;

/**
 * Appends the events of an import in batches. The command id of a batch is derived from the import's command id and the batch number; the last batch has
 * the import's own command id. A repeat therefore skips the batches that exist and continues after them, and the receipt of the import's command id means
 * that the import is complete.
 */
export class ImportBatches {
  #version = 0;
  #number = 0;
  #events: NewEvent[] = [];
  #bytes = 0;

  constructor(
    private readonly context: CommandContext,
    private readonly settings: SessionSettings,
    /** The uuids of the messages on the active branch. */
    private readonly current: ReadonlySet<string>,
    private readonly ports: { readonly store: EventStore; readonly clock: Clock; readonly digest: Digest },
  ) {}

  /** `bytes`: approximate size of the event. */
  async add(event: NewEvent, bytes: number): Promise<void> {
    if (this.#events.length > 0 && this.#bytes + bytes > BATCH_BYTES) await this.flush();
    this.#events.push(event);
    this.#bytes += bytes;
    if (this.#events.length >= BATCH_EVENTS || this.#bytes >= BATCH_BYTES) await this.flush();
  }

  /** Appends the pending events and `last`. Null when an earlier execution of the same command has done so. */
  async end(last: NewEvent): Promise<readonly SessionEvent[] | null> {
    this.#events.push(last);
    return this.#append(this.context.commandId, 'idle');
  }

  /** Appends the pending events. */
  async flush(): Promise<void> {
    this.#number += 1;
    const name = `import ${this.context.commandId} ${this.#number}`;
    await this.#append(uuidFromSha256(this.ports.digest.sha256(name)), 'importing');
  }

  async #append(commandId: string, status: 'importing' | 'idle'): Promise<readonly SessionEvent[] | null> {
    const { principal, sessionId, requestHash } = this.context;
    const { title, model } = this.settings;
    const projection = importProjection(sessionId, this.#events, this.current);
    const outcome = await this.ports.store.append({
      tenantId: principal.tenantId,
      sessionId,
      expectedVersion: this.#version,
      commandId,
      requestHash,
      actor: { kind: 'user', id: principal.userId },
      events: this.#events.map((event) => ({ ...event, id: this.ports.clock.uuid() })),
      jobs: [],
      completedJobs: [],
      claim: null,
      dispatch: null,
      summary: { userId: principal.userId, title, model, status, queueLength: 0, turnId: null },
      projection,
    });
    this.#events = [];
    this.#bytes = 0;
    switch (outcome.kind) {
      case 'appended':
        this.#version += outcome.events.length;
        return outcome.events;
      case 'duplicate':
        this.#version = outcome.lastSeq;
        return null;
      case 'key_reused':
        throw keyReused();
      case 'conflict':
        throw new DomainError('version_conflict', 'Another request is creating a session under this idempotency key; use a new key for each request.');
      case 'fenced':
        throw new Error('an import has no claim that could be lost');
    }
  }
}

export function keyReused(): DomainError {
  return new DomainError('idempotency_mismatch', 'This idempotency key has been used for another request; use a fresh key for each request.');
}
