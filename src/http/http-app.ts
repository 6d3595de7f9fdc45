import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';
import { Telemetry } from '../core/ports.js';
import { arrival } from './arrival.js';
import { serveDocuments } from './documents/open-api.js';

/** What the application has to be created with: bodies are read after the guards, and an open event stream must not hold up the end. */
export const HTTP_OPTIONS = { bodyParser: false, forceCloseConnections: true } as const;

/** Everything about HTTP that is not a route. Call it after the application was created and before it listens. */
export function prepareHttp(app: NestExpressApplication, version: string): void {
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(arrival(app.get(Telemetry)));
  app.use(helmet({ contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } } }));
  serveDocuments(app, version);
}
