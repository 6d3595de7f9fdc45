import type { Server } from 'node:http';
import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { type Settings, SETTINGS } from './platform/config/env.js';
import { Telemetry } from './ports/index.js';
import { type ConnectionSettings, limitConnections } from './http/connections.js';
import { requestContext } from './http/request-context.js';
import { Drain } from './http/drain.js';
import { CONSOLE_FOLDER, consoleHandler } from './http/console.js';
import { serveDocuments } from './http/documents/serve-documents.js';

/** Options of the Nest application: no body parser, because bodies are read after the guards. */
export const HTTP_OPTIONS = { bodyParser: false } as const;

/** Middleware and documents. Call it after the application is created and before it listens. */
export function prepareHttp(app: NestExpressApplication, version: string): void {
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(requestContext(app.get(Telemetry)));
  app.use(helmet({ contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } } }));
  const settings = app.get<Pick<Settings, 'CORS_ORIGINS' | 'CONSOLE' | 'ROLE'> & ConnectionSettings>(SETTINGS);
  const server = app.getHttpServer() as Server;
  limitConnections(server, settings);
  app.get(Drain).watch(server);
  if (settings.CORS_ORIGINS.length > 0) app.enableCors(corsOptions(settings.CORS_ORIGINS));
  serveDocuments(app, version);
  if (settings.ROLE === 'worker') return;
  if (settings.CONSOLE) app.use('/console', consoleHandler(CONSOLE_FOLDER));
  app.use(toFirstPage(settings.CONSOLE ? '/console' : '/docs'));
}

/** Whoever opens the address of the server in a browser gets a page of it. */
function toFirstPage(page: string) {
  return ({ method, path }: Request, response: Response, next: NextFunction): void => {
    if (path === '/' && (method === 'GET' || method === 'HEAD')) response.redirect(302, page);
    else next();
  };
}

/** Tokens are sent in a header, never as a cookie, so no credentials mode is needed. */
function corsOptions(origins: readonly string[]): CorsOptions {
  return {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'authorization',
      'content-type',
      'idempotency-key',
      'if-match',
      'if-none-match',
      'last-event-id',
      'traceparent',
      'x-request-id',
      'x-workload',
    ],
    exposedHeaders: [
      ...['etag', 'location', 'retry-after', 'x-request-id', 'idempotency-replayed', 'traceresponse'],
      ...['request-id', 'x-verbatim-session', 'x-verbatim-request', 'x-verbatim-repairs'],
    ],
    maxAge: 600,
  };
}

/**
 * Goes on answering for up to `lingerMs`, so that clients learn that their connections end; then stops accepting connections, ends the event streams, and waits up to
 * `graceMs` for open requests.
 */
export async function closeHttp(app: NestExpressApplication, { graceMs, lingerMs }: { readonly graceMs: number; readonly lingerMs: number }): Promise<void> {
  const server: Server = app.getHttpServer();
  const drain = app.get(Drain);
  drain.begin();
  await drain.lingered(lingerMs);
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  try {
    // It closes idle connections at once: right after the process has read what has arrived, so that none has a request in it.
    const closed = new Promise((resolve) => setImmediate(() => server.close(resolve)));
    await app.close();
    await closed;
  } finally {
    clearTimeout(deadline);
  }
}
