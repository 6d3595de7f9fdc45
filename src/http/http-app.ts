import type { Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';
import { Telemetry } from '../core/ports.js';
import { arrival } from './request-context.js';
import { serveDocuments } from './documents/open-api.js';

/** What the application has to be created with: bodies are read after the guards. */
export const HTTP_OPTIONS = { bodyParser: false } as const;

/** Everything about HTTP that is not a route. Call it after the application was created and before it listens. */
export function prepareHttp(app: NestExpressApplication, version: string): void {
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(arrival(app.get(Telemetry)));
  app.use(helmet({ contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } } }));
  serveDocuments(app, version);
}

/** Takes no further connections, ends the event streams, and lets requests under way finish for up to `graceMs`. */
export async function closeHttp(app: NestExpressApplication, graceMs: number): Promise<void> {
  const server: Server = app.getHttpServer();
  // A connection whose answer is through would be kept for another request, and hold up the end.
  server.keepAliveTimeout = 1;
  const late = setTimeout(() => server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearTimeout(late);
  }
}
