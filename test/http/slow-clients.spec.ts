import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { closed, StreamScene, upTo } from './support/stream-scene.js';

let scene: StreamScene;
afterEach(() => scene.stop());

describe('a slow client', () => {
  beforeEach(async () => {
    scene = await StreamScene.start({ STREAM_BUFFER_BYTES: '65536' });
  });

  it('costs one buffer, loses deltas, and gets every event once it reads', async () => {
    const socket = await scene.rawClient();
    socket.pause();
    await scene.opened();
    const text = 'x'.repeat(10_000);
    let most = 0;
    // 100 MB of deltas alone, then as much with events between.
    for (let count = 0; count < 10_000; count += 1) {
      scene.delta({ requestId: 'r1', text });
      most = Math.max(most, scene.edge.streams.held.bytes);
    }
    for (let count = 0; count < 2_000; count += 1) {
      scene.happen(closed(text));
      for (let deltas = 0; deltas < 5; deltas += 1) scene.delta({ requestId: 'r1', text });
      if (count % 20 === 0) await new Promise(setImmediate);
      most = Math.max(most, scene.edge.streams.held.bytes);
    }
    expect(most).toBeLessThan(65_536 + 50_000);

    const seen: number[] = [];
    let rest = '';
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        rest += chunk.toString();
        const lines = rest.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.startsWith('id: ')) seen.push(Number(line.slice(4)));
        if (seen.at(-1) === 2_001) resolve();
      });
      socket.resume();
    });
    expect(seen).toEqual(upTo(2_001));
    socket.destroy();
    await scene.allFree();
  });
});

describe('a client that takes nothing at all', () => {
  it('is cut off', async () => {
    scene = await StreamScene.start({ STREAM_BUFFER_BYTES: '65536', STREAM_HEARTBEAT_MS: '20', STREAM_STALL_MS: '50' });
    const socket = await scene.rawClient();
    socket.pause();
    await scene.opened();
    // More than the sockets of both sides hold.
    while (scene.edge.streams.held.streams > 0) {
      scene.happen(...Array.from({ length: 20 }, () => closed('x'.repeat(100_000))));
      await new Promise(setImmediate);
    }
    socket.destroy();
    await scene.allFree();
  });
});

describe('too many streams of one user', () => {
  it('are rejected until one is closed', async () => {
    scene = await StreamScene.start({ STREAMS_PER_USER: '2' });
    const [first] = [await scene.open(), await scene.open()];
    const rejected = await scene.edge.client.get(`/v1/sessions/${scene.id}/events/stream`);
    expect(rejected.body).toMatchObject({ status: 429, code: 'limit_reached' });
    expect(rejected.headers.get('retry-after')).toBe('5');
    first.close();
    while (scene.edge.streams.held.streams === 2) await new Promise(setImmediate);
    await (await scene.open()).untilType('synced');
  });
});
