import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import type { Settings } from '../platform/config/env.js';
import { DomainError } from '../../packages/protocol/errors.js';
import { problemOf } from './problems/problem.js';

export type ConnectionSettings = Pick<Settings, 'REQUEST_HEADERS_TIMEOUT_MS' | 'KEEP_ALIVE_TIMEOUT_MS' | 'MAX_CONNECTIONS_PER_ADDRESS'>;

/**
 * Limits what a connection may cost before it has sent a request: the time until its headers are complete, and the number of connections per address. Node checks
 * `headersTimeout` only every 30 seconds, so the first request of a connection has its own timer.
 */
export function limitConnections(server: Server, settings: ConnectionSettings): void {
  const perAddress = new Map<string, number>();
  /** Of connections without a request so far. */
  const timers = new Map<Socket, NodeJS.Timeout>();
  const stopTimer = (socket: Socket): void => {
    clearTimeout(timers.get(socket));
    timers.delete(socket);
  };
  server.headersTimeout = settings.REQUEST_HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = settings.KEEP_ALIVE_TIMEOUT_MS;

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const open = (perAddress.get(address) ?? 0) + 1;
    if (open > settings.MAX_CONNECTIONS_PER_ADDRESS) {
      socket.destroy();
      return;
    }
    perAddress.set(address, open);
    // Timers come before sockets: after a busy time the process first reads what has arrived meanwhile.
    const end = (): void => void setImmediate(() => timers.has(socket) && socket.destroy());
    timers.set(socket, setTimeout(end, settings.REQUEST_HEADERS_TIMEOUT_MS).unref());
    socket.once('close', () => {
      stopTimer(socket);
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left > 0) perAddress.set(address, left);
      else perAddress.delete(address);
    });
  });
  server.prependListener('request', (request: IncomingMessage) => stopTimer(request.socket));

  // Without a listener Node responds with an empty 417.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    stopTimer(request.socket);
    const requestId = randomUUID();
    const error = new DomainError('expectation_failed', 'The header Expect may only be 100-continue; send the request without it.', [
      { pointer: 'Expect', text: 'must be 100-continue' },
    ]);
    response.writeHead(417, { 'content-type': 'application/problem+json', 'x-request-id': requestId, connection: 'close' });
    response.end(JSON.stringify(problemOf(error, requestId)));
  });
}
