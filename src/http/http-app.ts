import type { Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';
import { Telemetry } from '../core/ports.js';
import { requestContext } from './request-context.js';
import { serveDocuments } from './documents/open-api.js';

/** Options of the Nest application: no body parser, because bodies are read after the guards. */
export const HTTP_OPTIONS = { bodyParser: false } as const;

/** Middleware and documents. Call it after the application is created and before it listens. */
export function prepareHttp(app: NestExpressApplication, version: string): void {
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(requestContext(app.get(Telemetry)));
  app.use(helmet({ contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } } }));
  serveDocuments(app, version);
}

/** Stops accepting connections, ends the event streams, and waits up to `graceMs` for open requests. */
export async function closeHttp(app: NestExpressApplication, graceMs: number): Promise<void> {
  const server: Server = app.getHttpServer();
  // Idle keep-alive connections would otherwise delay the close.
  server.keepAliveTimeout = 1;
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearTimeout(deadline);
  }
}
