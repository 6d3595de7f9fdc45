import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { CODES } from '../../src/http/documents/api-route.js';
import { type ProblemCode, PROBLEMS } from '../../src/http/problems/status.js';
import type { UnknownObject } from '../support/client.js';
import { ROUTES } from '../support/documented.js';
import { Edge } from './support/edge.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

interface Operation {
  readonly name: string;
  readonly operation: UnknownObject;
}

describe('the OpenAPI document', () => {
  let edge: Edge;
  let document: OpenAPIObject;
  let operations: readonly Operation[];

  beforeAll(async () => {
    edge = await Edge.start();
    document = (await edge.client.as(null).get('/openapi.json')).body;
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) =>
        (item as UnknownObject)[method] ? [{ name: `${method.toUpperCase()} ${path}`, operation: (item as UnknownObject)[method] }] : [],
      ),
    );
  });
  afterAll(() => edge.stop());

  it('is OpenAPI 3.1 with a title, a version and a way to authenticate', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: 'Verbatim', version: '0.0.0' });
    expect(document.security).toEqual([{ bearer: [] }, { cookie: [] }]);
    expect(document.components?.securitySchemes).toHaveProperty('bearer');
  });

  it('lists exactly the routes that exist', () => {
    const routes = (edge.app.getHttpAdapter().getInstance().router.stack as UnknownObject[])
      .filter((layer) => layer.route !== undefined)
      .flatMap(({ route }) => Object.keys(route.methods).map((method) => `${method.toUpperCase()} ${route.path.replace(/[:*](\w+)/g, '{$1}')}`))
      .filter((route) => !/ \/(?:docs|openapi|anthropic)/.test(route));
    expect(operations.map(({ name }) => name).sort()).toEqual(routes.sort());
    expect(routes.length).toBeGreaterThan(45);
  });

  it('has no reference that leads nowhere', () => {
    const references: string[] = [];
    JSON.stringify(document, (key, value: unknown) => {
      if (key === '$ref') references.push(String(value));
      return value;
    });
    expect(references.length).toBeGreaterThan(50);
    for (const reference of new Set(references)) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce((value: UnknownObject, segment) => value?.[segment], document);
      expect([reference, typeof found]).toEqual([reference, 'object']);
    }
  });

  it('names each operation by a verb and its object, once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
  });

  it('describes every parameter', () => {
    const parameters = operations.flatMap(({ name, operation }) => (operation.parameters ?? []).map((parameter: UnknownObject) => ({ name, ...parameter })));
    expect(parameters.length).toBeGreaterThan(50);
    expect(parameters.filter(({ description }) => !/\w{3}/.test(description ?? '')).map((parameter) => `${parameter.name}: ${parameter.in}`)).toEqual([]);
  });

  it('describes each route, its responses, and every problem code by status, with an example', () => {
    for (const { name, operation } of operations) {
      expect([name, operation.summary]).toEqual([name, expect.stringMatching(/\w{3}/)]);
      const codes: readonly ProblemCode[] = operation[CODES];
      expect([name, codes]).toEqual([name, expect.arrayContaining(['internal_error'])]);
      const statuses = Object.keys(operation.responses).map(Number);
      const success = name === 'GET /v1/ui/chat/{chatId}/stream' ? [200, 204] : [expect.any(Number)];
      expect([name, statuses.filter((status) => status < 400)]).toEqual([name, success]);
      expect([name, statuses.filter((status) => status >= 400).sort()]).toEqual([name, [...new Set(codes.map((code) => PROBLEMS[code][0]))].sort()]);
      for (const code of codes) {
        const { content } = operation.responses[PROBLEMS[code][0]];
        expect(content['application/problem+json'].examples[code].value).toMatchObject({ code, status: PROBLEMS[code][0] });
      }
    }
  });

  it('knows which routes are open, take a body, take a key', () => {
    const names = (fits: (operation: UnknownObject) => boolean) => operations.filter(({ operation }) => fits(operation)).map(({ name }) => name);
    expect(names((operation) => operation.security?.length === 0).sort()).toEqual([
      'GET /health/live',
      'GET /health/ready',
      'GET /v1/log/anchors',
      'GET /v1/log/checkpoint',
      'GET /v1/log/consistency',
      'GET /v1/log/key',
      'GET /v1/log/tile/{path}',
      'GET /v1/sign-in',
      'GET /v1/sign-in/oidc',
      'GET /v1/sign-in/oidc/callback',
      'POST /v1/sign-in',
      'POST /v1/sign-out',
    ]);
    expect(names((operation) => operation[CODES].includes('unauthenticated')).length).toBeGreaterThan(43);
    const withBody = names((operation) => operation.requestBody !== undefined);
    expect(withBody.sort()).toEqual(
      operations
        .map(({ name }) => name)
        .filter((name) => /^(?:POST|PUT|PATCH) /.test(name))
        .sort(),
    );
    const withKey = names((operation) => operation.parameters?.some((parameter: UnknownObject) => parameter.name === 'Idempotency-Key'));
    // test/features.spec.ts: every route with a command context names its command.
    const commands = ROUTES.filter(({ route }) => route.command).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(withKey.sort()).toEqual(commands.sort());
    expect(commands.length).toBeGreaterThan(20);
  });

  it('describes paths, queries and bodies', () => {
    const stream = (document.paths['/v1/sessions/{id}/events/stream'] as UnknownObject).get;
    expect(stream.parameters.map((parameter: UnknownObject) => [parameter.in, parameter.name, parameter.required ?? false]).sort()).toEqual([
      ['header', 'Last-Event-ID', false],
      ['path', 'id', true],
      ['query', 'after', false],
      ['query', 'ticket', false],
    ]);
    expect(stream.responses['200'].content).toHaveProperty(['text/event-stream']);
    const limit = (document.paths['/v1/sessions'] as UnknownObject).get.parameters.find((parameter: UnknownObject) => parameter.name === 'limit');
    expect(limit.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 200 });
    const prompt = (document.paths['/v1/sessions/{id}/prompts'] as UnknownObject).post;
    expect(prompt.requestBody.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Prompt' });
    const schema = document.components?.schemas?.['Prompt'] as UnknownObject;
    expect(schema.required).toEqual(['input']);
    expect(schema.additionalProperties).toBe(false);
    expect(schema.properties.whenBusy.enum).toEqual(['enqueue', 'reject', 'interrupt']);
    for (const example of [schema.example, ...(schema.examples ?? [])].filter(Boolean)) expect(example).toHaveProperty('input');
    expect([schema.example, ...(schema.examples ?? [])].filter(Boolean)).not.toHaveLength(0);
  });

  it('is where the address of the server leads without a console', async () => {
    const answer = await fetch(edge.url, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, expect.stringMatching(/^\/(?:console|docs)$/)]);
    expect((await fetch(edge.url, { method: 'POST', redirect: 'manual' })).status).toBe(404);
  });

  it('is shown on a page that needs nothing from elsewhere', async () => {
    const page = await edge.client.as(null).get('/docs');
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const parts = [...String(page.body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part!);
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) {
      expect(part).not.toMatch(/^(?:https?:)?\/\//);
      const answer = await fetch(new URL(part, `${edge.url}/docs/`));
      expect([part, answer.status]).toEqual([part, 200]);
      await answer.arrayBuffer();
    }
    expect((await edge.client.as(null).get('/docs/swagger-initializer.js')).body).toContain('validatorUrl: null');
  });
});
