import { describe, expect, it } from '@jest/globals';
import { createClient, type StreamedEvent } from '@verbatim/client';

const id = '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e';
const stored = (seq: number): string => `id: ${seq}\nevent: session.reopened\ndata: {"seq":${seq},"type":"session.reopened"}\n\n`;
const synced = 'event: synced\ndata: {"version":1}\n\n';

interface Request {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A server that streams these pieces of text. After the last piece a stream ends, breaks, or stays open and silent. */
function streaming(...streams: readonly { readonly pieces: readonly string[]; readonly end: 'ends' | 'breaks' | 'stays open' }[]) {
  const requests: Request[] = [];
  const client = createClient({
    baseUrl: 'http://server',
    token: 'secret',
    fetch: async (input, init) => {
      const signal = init!.signal!;
      requests.push({ url: input as string, headers: init!.headers as Record<string, string>, signal });
      const stream = streams[requests.length - 1];
      if (!stream)
        return new Response(JSON.stringify({ code: 'session_not_found', status: 404 }), {
          status: 404,
          headers: { 'content-type': 'application/problem+json' },
        });
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of stream.pieces) controller.enqueue(new TextEncoder().encode(piece));
          if (stream.end === 'ends') controller.close();
          signal.addEventListener('abort', () => {
            if (stream.end === 'stays open') controller.error(signal.reason);
          });
        },
        pull(controller) {
          if (stream.end === 'breaks') controller.error(new TypeError('terminated'));
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  return { client, requests };
}

async function all(events: AsyncIterable<StreamedEvent>): Promise<unknown[]> {
  const found: unknown[] = [];
  try {
    for await (const event of events) found.push('seq' in event ? event.seq : event.type);
  } catch (error) {
    found.push((error as { code?: string }).code ?? error);
  }
  return found;
}

describe('event streams of the client', () => {
  it('are parsed from pieces of any size', async () => {
    const text = `retry: 1\r\n\r\n:\n\n${stored(1)}${synced.replaceAll('\n', '\r\n')}${stored(2).replaceAll('\n', '\r')}event: x\ndata: [1,\ndata: 2]\n\n`;
    for (const size of [1, 2, 3, 7, 1_000]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size));
      expect(await all(streaming({ pieces, end: 'ends' }).client.events({ id }))).toEqual([1, 'synced', 2, 'x', 'session_not_found']);
    }
  });

  it('continue after the last event received when the connection ends or breaks, and contain no event twice', async () => {
    const { client, requests } = streaming(
      { pieces: ['retry: 1\n\n', stored(4), stored(5).slice(0, 30)], end: 'breaks' },
      { pieces: [stored(4), stored(5), synced], end: 'ends' },
      { pieces: [stored(6)], end: 'ends' },
    );
    expect(await all(client.events({ id, after: 3 }))).toEqual([4, 5, 'synced', 6, 'session_not_found']);
    expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual(['3', '4', '5', '6']);
  });

  it('replace a connection that is silent, but not because the reader takes its time', async () => {
    const { client, requests } = streaming({ pieces: ['retry: 1\n\n', stored(1), stored(2)], end: 'stays open' }, { pieces: [stored(3)], end: 'ends' });
    const found: unknown[] = [];
    for await (const event of client.events({ id, silenceMs: 100 })) {
      found.push('seq' in event ? event.seq : event.type);
      if (found.length === 1) await new Promise((resolve) => setTimeout(resolve, 300));
      if (found.length === 3) break;
    }
    expect(found).toEqual([1, 2, 3]);
    expect(requests).toHaveLength(2);
    expect(requests[0]!.signal.aborted).toBe(true);
  });

  it('take a new ticket for each connection, and then send no token', async () => {
    const { client, requests } = streaming({ pieces: ['retry: 1\n\n', stored(1)], end: 'ends' }, { pieces: [stored(2)], end: 'ends' });
    let tickets = 0;
    await all(client.events({ id, ticket: async () => `ticket ${(tickets += 1)}` }));
    expect(requests.map(({ url }) => url.split('?')[1])).toEqual(['ticket=ticket%201', 'ticket=ticket%202', 'ticket=ticket%203']);
    expect(requests.every(({ headers }) => headers['authorization'] === undefined)).toBe(true);
  });

  it('end with their signal, and close the connection when the reader leaves', async () => {
    const { client, requests } = streaming({ pieces: [stored(1)], end: 'stays open' }, { pieces: [stored(2)], end: 'stays open' });
    for await (const _ of client.events({ id })) break;
    expect(requests[0]!.signal.aborted).toBe(true);
    const controller = new AbortController();
    const found: StreamedEvent[] = [];
    for await (const event of client.events({ id, signal: controller.signal })) {
      found.push(event);
      controller.abort();
    }
    expect([found.length, requests.length, requests[1]!.signal.aborted]).toEqual([1, 2, true]);
  });
});
