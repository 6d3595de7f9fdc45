import { describe, expect, it } from '@jest/globals';
import { connect, type Socket } from 'node:net';
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
