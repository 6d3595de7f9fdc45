import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { NewEvent } from '../../../packages/protocol/events/events.js';
import type { EventReader } from '../../support/event-reader.js';
import { Edge } from './edge.js';

/** An edge with one session, and what specs of streams do with it. Its heart does not beat unless told to. */
export class StreamScene {
  readonly #readers: EventReader[] = [];

  private constructor(
    readonly edge: Edge,
    readonly id: string,
  ) {}

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<StreamScene> {
    const edge = await Edge.start({ STREAM_HEARTBEAT_MS: '3600000', ...environment });
    return new StreamScene(edge, edge.session());
  }

  async stop(): Promise<void> {
    for (const reader of this.#readers.splice(0)) reader.close();
    await this.edge.stop();
  }

  async open(query = '', headers: Record<string, string> = {}): Promise<EventReader> {
    const reader = await this.edge.client.stream(this.id, headers, query);
    this.#readers.push(reader);
    return reader;
  }

  /** As the executor does it: into the log, then the hint. */
  happen(...events: NewEvent[]): number {
    const seq = this.edge.store.record(this.id, ...events);
    this.edge.bus.publish({ kind: 'advanced', sessionId: this.id, seq });
    return seq;
  }

  delta(data: Record<string, string | number>): void {
    this.edge.bus.publish({ kind: 'delta', sessionId: this.id, type: 'message.delta', data });
  }

  /** A client that reads when it likes. */
  async rawClient(path = `/v1/sessions/${this.id}/events/stream`, version = '1.1'): Promise<Socket> {
    const socket = connect(this.edge.port, '127.0.0.1');
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(`GET ${path} HTTP/${version}\r\nHost: x\r\nAuthorization: Bearer vb_admin\r\n\r\n`);
    return socket;
  }

  async opened(): Promise<void> {
    while (this.edge.streams.held.streams === 0) await new Promise(setImmediate);
  }

  /** Once everything that streams hold has been let go. */
  async allFree(): Promise<void> {
    const { streams, bus } = this.edge;
    while (streams.held.streams > 0 || streams.held.tails > 0 || bus.size > 0) await new Promise(setImmediate);
  }
}

export const closed = (reason: string): NewEvent => ({ type: 'session.closed', data: { reason } });

export const answered = (requestId: string): NewEvent => ({
  type: 'message.appended',
  data: {
    turnId: null,
    message: {
      type: 'assistant',
      uuid: randomUUID(),
      parentUuid: null,
      timestamp: '2024-01-01T00:00:00.000Z',
      requestId,
      message: { id: 'msg_1', role: 'assistant', model: 'm', content: [], stop_reason: 'end_turn' },
    },
  },
});

export const ids = (reader: EventReader): readonly number[] => reader.stored().map((event) => Number(event.id));
export const upTo = (seq: number, from = 1): readonly number[] => Array.from({ length: seq - from + 1 }, (_, index) => from + index);
export const reached = (reader: EventReader, seq: number) => reader.until((event) => event.id === String(seq));

export function holdBack(): { readonly held: Promise<void>; release(): void } {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  return { held, release };
}
