import { createRequire } from 'node:module';
import path from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';

/** Swagger UI, without the page's own first script, which would ask for a document of another host. */
const PAGE_FOLDER = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/index.html'));

const FIRST_SCRIPT = `window.ui = SwaggerUIBundle({
  url: '../openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
});
document.title = 'Verbatim';
`;

/** Serves the OpenAPI document at /openapi.json and Swagger UI at /docs, without resources of other hosts. The document is made when it is first asked for, and then kept. */
export function serveDocuments(app: NestExpressApplication, version: string): void {
  let document: string | null = null;
  const routes: Express = app.getHttpAdapter().getInstance();
  routes.get('/openapi.json', async (_request, response) => {
    const { openApiDocument } = await import('./open-api.js');
    response.type('application/json').send((document ??= JSON.stringify(openApiDocument(app, version))));
  });
  routes.get('/docs/swagger-initializer.js', (_request, response) => {
    response.type('text/javascript').send(FIRST_SCRIPT);
  });
  app.useStaticAssets(PAGE_FOLDER, { prefix: '/docs' });
}
