import { describe, expect, it } from '@jest/globals';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { until } from '../support/until.js';
import { Edge } from './support/edge.js';

/** Resolves when the server closes the connection, with what it had sent. */
function closedBy(socket: Socket): Promise<string> {
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  socket.on('error', () => {});
  return new Promise((resolve) => socket.once('close', () => resolve(received)));
}

describe('connections', () => {
  it('are closed when the headers of the first request are not complete in time', async () => {
    const edge = await Edge.start({ REQUEST_HEADERS_TIMEOUT_MS: '300' });
    const socket = connect(edge.port, '127.0.0.1');
    const closed = closedBy(socket);
    socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    await closed;
    const silent = closedBy(connect(edge.port, '127.0.0.1'));
    await silent;
    await edge.stop();
  });

  it('are not closed while the process is busy, when the request has arrived in time', async () => {
    const edge = await Edge.start({ REQUEST_HEADERS_TIMEOUT_MS: '300' });
    const accepted = new Promise((resolve) => edge.app.getHttpServer().once('connection', resolve));
    const socket = connect(edge.port, '127.0.0.1');
    const closed = closedBy(socket);
    await accepted;
    socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    for (const end = performance.now() + 600; performance.now() < end;); // nothing else runs meanwhile
    expect(await closed).toMatch(/^HTTP\/1\.1 200 /);
    await edge.stop();
  });

  it('stay open between requests for as long as the setting says', async () => {
    const edge = await Edge.start({ KEEP_ALIVE_TIMEOUT_MS: '120000' });
    const socket = connect(edge.port, '127.0.0.1');
    let received = '';
    const answered = new Promise<void>((resolve) =>
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString();
        if (received.includes('\r\n\r\n')) resolve();
      }),
    );
    socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await answered;
    expect(received.toLowerCase()).toContain('keep-alive: timeout=120\r\n');
    socket.destroy();
    await edge.stop();
  });

  it('are limited per address', async () => {
    const edge = await Edge.start({ MAX_CONNECTIONS_PER_ADDRESS: '3' });
    const sockets = Array.from({ length: 3 }, () => connect(edge.port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    await closedBy(connect(edge.port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => (socket.destroy(), closedBy(socket))));
    await until('a connection is free', async () => (await edge.client.get('/health/live').catch(() => null))?.status === 200);
    await edge.stop();
  });

  it('get a problem document for an expectation that cannot be met', async () => {
    const edge = await Edge.start();
    const socket = connect(edge.port, '127.0.0.1');
    const closed = closedBy(socket);
    socket.write('POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\nContent-Length: 2\r\n\r\n{}');
    const text = await closed;
    expect(text).toMatch(/^HTTP\/1\.1 417 /);
    expect(text).toContain('content-type: application/problem+json');
    expect(text).toContain('"code":"expectation_failed"');
    await edge.stop();
  });
});

/** What a client of one connection sees that asks again and again: how often it was answered, and how the connection ended. */
async function keepAsking(port: number, pauseMs: number, onAnswer: () => void): Promise<{ readonly answers: number; readonly end: string }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (let answers = 0; ; answers += 1) {
      const outcome = await new Promise<string>((resolve) => {
        const call = request({ port, host: '127.0.0.1', path: '/health/live', agent }, (response) => {
          response.resume().once('end', () => resolve(String(response.headers.connection)));
        });
        call.once('error', (error: NodeJS.ErrnoException) => resolve(String(error.code))).end();
      });
      if (outcome !== 'keep-alive') return { answers, end: outcome };
      onAnswer();
      await setTimeout(pauseMs);
    }
  } finally {
    agent.destroy();
  }
}

describe('a server that stops', () => {
  it('tells each of 24 clients with a kept connection that the answer is its last, and resets none', async () => {
    const edge = await Edge.start();
    const answered = new Set<number>();
    const clients = Array.from({ length: 24 }, (_, index) => keepAsking(edge.port, 5 + index * 5, () => answered.add(index)));
    await until('each has had an answer', async () => answered.size === 24);
    const [seen] = await Promise.all([Promise.all(clients), edge.close({ graceMs: 60_000, lingerMs: 60_000 })]);
    expect(seen.map(({ end }) => end)).toEqual(seen.map(() => 'close'));
    expect(seen.every(({ answers }) => answers > 0)).toBe(true);
  });

  it('closes a kept connection on which nothing is asked, in order', async () => {
    const edge = await Edge.start();
    const socket = connect(edge.port, '127.0.0.1');
    const errors: unknown[] = [];
    socket.on('error', (error) => errors.push(error));
    const answered = new Promise((resolve) => socket.once('data', resolve));
    const closed = closedBy(socket);
    socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await answered;
    await edge.close({ graceMs: 60_000, lingerMs: 1 });
    await closed;
    expect(errors).toEqual([]);
  });

  it('ends the connection of an answer that had begun before', async () => {
    const edge = await Edge.start();
    const socket = connect(edge.port, '127.0.0.1');
    const closed = closedBy(socket);
    const begun = new Promise((resolve) => socket.once('data', resolve));
    const session = await edge.session();
    socket.write(`GET /v1/sessions/${session}/events/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer vb_admin\r\n\r\n`);
    await begun;
    await edge.close({ graceMs: 60_000, lingerMs: 1 });
    expect(await closed).toMatch(/0\r\n\r\n$/);
  });
});
