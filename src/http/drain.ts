import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';

/** How often a process that stops looks whether connections are open. */
const LOOK_MS = 20;

/**
 * Whether the process is shutting down: readiness fails, so that a load balancer sends no new requests, and each response is the last of its connection. A client that is
 * told so opens its next connection elsewhere; one whose connection is closed between two requests may have just sent the second.
 */
@Injectable()
export class Drain {
  #begunAt: number | null = null;
  /** The response that is under way on each open connection, if any. */
  readonly #connections = new Map<Socket, ServerResponse | null>();

  get begun(): boolean {
    return this.#begunAt !== null;
  }

  begin(): void {
    if (this.begun) return;
    this.#begunAt = performance.now();
    for (const [socket, response] of this.#connections) if (response) endAfter(socket, response);
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#connections.set(socket, null);
      socket.once('close', () => this.#connections.delete(socket));
    });
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#connections.set(socket, response);
      response.once('close', () => {
        if (this.#connections.get(socket) === response) this.#connections.set(socket, null);
      });
      if (this.begun) endAfter(socket, response);
    });
  }

  /** Resolves when no connection is open, at the latest `lingerMs` after the beginning. */
  async lingered(lingerMs: number): Promise<void> {
    const until = (this.#begunAt ?? 0) + lingerMs;
    while (this.#connections.size > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Makes the response the last one of its connection. */
function endAfter(socket: Socket, response: ServerResponse): void {
  if (response.headersSent) response.once('finish', () => socket.destroySoon());
  else response.setHeader('connection', 'close');
}
