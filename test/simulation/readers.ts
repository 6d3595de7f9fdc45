import { SessionTail } from '../../src/http/stream/session-tail.js';
import type { SimulatedClient } from './client.js';
import type { SimulatedProcess } from './process.js';
import { SIMULATED_SETTINGS } from './settings.js';
import type { World } from './world.js';

const { STREAM_HEARTBEAT_MS: heartbeatMs, STREAM_BUFFER_BYTES: bufferBytes } = SIMULATED_SETTINGS;

/** From the append to a reader at another process. */
const LATEST_MS = 50;

/** Reads the stream of a session at one process after the other, as a client that connects again, and notes what comes twice, out of order or late. */
export class Reader {
  position = 0;
  #process: SimulatedProcess | null = null;
  #tail: SessionTail | null = null;

  constructor(
    private readonly world: World,
    private readonly client: SimulatedClient,
  ) {}

  get isConnected(): boolean {
    return this.#process?.status === 'up' && !this.#process.isStopping;
  }

  /** Connects to the process unless it is connected to one that is up. */
  connect(process: SimulatedProcess): void {
    if (this.isConnected) return;
    this.close();
    const { tenantId, sessionId } = this.client;
    const events = process.events;
    const since = this.world.scheduler.now;
    this.#process = process;
    this.#tail = new SessionTail(
      sessionId,
      (after, limit) => events.page(tenantId, sessionId, after, limit),
      process.live,
      { heartbeatMs, bufferBytes },
      this.position,
    );
    this.#tail.follow({
      receive: ({ stored }) => {
        for (const { event } of stored) this.#receive(event.seq, Date.parse(event.time), since);
      },
      heartbeat: () => undefined,
      outdated: () => undefined,
    });
  }

  close(): void {
    this.#tail?.close();
    this.#tail = null;
  }

  #receive(seq: number, at: number, since: number): void {
    const { violations, incidents, scheduler } = this.world;
    const name = this.#process!.name;
    if (seq !== this.position + 1) violations.push(`a reader of ${this.client.sessionId} at ${name} got event ${seq} after ${this.position}`);
    this.position = seq;
    const lateMs = scheduler.now - Math.max(at, since);
    const author = this.world.observed.author(this.client.sessionId, seq);
    if (lateMs > LATEST_MS && !incidents.concern([name, author], Math.max(at, since) - 1_000, scheduler.now))
      violations.push(`a reader of ${this.client.sessionId} at ${name} got event ${seq} after ${Math.round(lateMs)} ms`);
  }
}

/** A reader for each session, which connects again when its process ends. */
export function readSessions(world: World, clients: () => readonly SimulatedClient[]): { readonly stop: () => Promise<void> } {
  const readers = new Map<SimulatedClient, Reader>();
  const random = world.random.fork();
  let stopped = false;
  const tend = (): void => {
    for (const client of clients()) {
      const reader = readers.get(client) ?? new Reader(world, client);
      readers.set(client, reader);
      if (world.up.length > 0) reader.connect(random.pick(world.up));
    }
  };
  const loop = (async () => {
    while (!stopped) {
      tend();
      await world.scheduler.sleep(random.between(300, 900));
    }
  })();
  return {
    /** When the sessions are at rest: all readers have everything within a heartbeat. */
    stop: async () => {
      stopped = true;
      await loop;
      // Again for a reader whose process ends meanwhile: one that had stood still, or was to stop.
      do {
        tend();
        await world.scheduler.sleep(heartbeatMs + 1_000);
      } while ([...readers.values()].some((reader) => !reader.isConnected));
      for (const [client, reader] of readers) {
        const { version } = await client.state();
        if (reader.position !== version) world.violations.push(`a reader of ${client.sessionId} has ${reader.position} of ${version} events`);
        reader.close();
      }
    },
  };
}
