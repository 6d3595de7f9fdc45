import 'reflect-metadata';
import { RequestMethod, type Type } from '@nestjs/common';
import { injectedContext } from '../../src/http/command-context.js';
import { HTTP_CODE_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { z } from 'zod';
import { codesOf, ROUTE, type RouteDescription } from '../../src/http/documents/api-route.js';
import { problem } from '../../src/http/documents/open-api.js';
import { partsOf } from '../../src/engine/feature.js';
import { FEATURES } from '../../src/features.js';
import { eventEnvelope } from '../../src/http/schemas/envelope-schemas.js';
import { LIVE_EVENT_DATA } from '../../src/http/schemas/live-schemas.js';
import { AS_DOCUMENTED } from '../../src/http/schemas/open-union.js';
import { CHANGES_EVENT_DATA } from '../../src/http/schemas/changes-schemas.js';
import type { StreamedEvent } from './event-reader.js';

interface DocumentedRoute {
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
  readonly route: RouteDescription;
  /** Of its JSON body, and of its query. */
  readonly body?: z.ZodType;
  readonly query?: z.ZodType;
  /** It gets a command context. */
  readonly usesContext: boolean;
  /** The status that it answers with unless it sets another: of `@HttpCode`, or that of its method. */
  readonly answers: number;
  /** The method of the controller, for messages. */
  readonly handler: string;
}

const METADATA = Reflect as unknown as { getMetadata(key: string, target: object): unknown };

/** The schemas of the parameters of a handler. */
function inputsOf(controller: Type, name: string): Pick<DocumentedRoute, 'body' | 'query' | 'usesContext'> {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Readonly<
    Record<string, { readonly schema?: z.ZodType; readonly factory?: unknown }>
  >;
  const schemaOf = (kind: RouteParamtypes): z.ZodType | undefined => Object.entries(parameters).find(([key]) => key.startsWith(`${kind}:`))?.[1].schema;
  const body = schemaOf(RouteParamtypes.BODY);
  const query = schemaOf(RouteParamtypes.QUERY);
  const usesContext = Object.values(parameters).some(({ factory }) => factory === injectedContext);
  return { ...(body && { body }), ...(query && { query }), usesContext };
}

const CONTROLLERS = FEATURES.map(partsOf).flatMap(({ routes = [], probes = [] }) => [...routes, ...probes]);

/** Every route with its description, from the decorators that the OpenAPI document is generated from. */
export const ROUTES: readonly DocumentedRoute[] = CONTROLLERS.flatMap((controller) => {
  const base = String(METADATA.getMetadata('path', controller));
  return Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
    const handler = (controller.prototype as Record<string, object>)[name]!;
    const route = METADATA.getMetadata(ROUTE, handler) as RouteDescription | undefined;
    if (!route) return [];
    const path = `/${base}/${String(METADATA.getMetadata('path', handler))}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');
    const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`);
    return [
      {
        method: RequestMethod[METADATA.getMetadata('method', handler) as number]!,
        path,
        pattern,
        route,
        answers:
          (METADATA.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined) ??
          (METADATA.getMetadata('method', handler) === RequestMethod.POST ? 201 : 200),
        ...inputsOf(controller, name),
        handler: `${controller.name}.${name}`,
      },
    ];
  });
});

/** Throws when the response is not what its route documents. Unknown members count as undocumented. Paths without a route are not checked. */
export function checkResponse(method: string, path: string, { status, body }: { readonly status: number; readonly body: unknown }): void {
  const target = path.split('?')[0]!;
  const route = ROUTES.find((candidate) => candidate.method === method && candidate.pattern.test(target))?.route;
  if (!route) return;
  const name = `${method} ${target} (${route.operation}) ${status}`;
  if (status >= 400)
    return check(
      name,
      problem.refine(({ code }) => (codesOf(route) as readonly string[]).includes(code), 'is not a documented code of the route'),
      body,
    );
  if (status === 304 || (status === 204 && route.emptyWhen !== undefined && body === undefined)) return;
  if (status !== route.status) throw new Error(`${name}: the documented status is ${route.status}`);
  if (route.response === null && body !== undefined) throw new Error(`${name}: documents no body`);
  if (typeof route.response === 'object' && route.response !== null) check(name, route.response, body);
}

/** Throws when an event of a stream is not as documented. */
export function checkStreamedEvent({ event, id, data }: StreamedEvent): void {
  const changes = (CHANGES_EVENT_DATA as Readonly<Record<string, z.ZodType>>)[event];
  if (changes) return check(`event ${event}`, changes, data);
  if (id !== null) return check(`event ${event}`, eventEnvelope, data);
  const schema = (LIVE_EVENT_DATA as Readonly<Record<string, z.ZodType>>)[event];
  if (!schema) throw new Error(`event ${event}: is not documented`);
  check(`event ${event}`, schema, data);
}

function check(name: string, schema: z.ZodType, value: unknown): void {
  const { error } = z.safeParse(schema, value, AS_DOCUMENTED);
  if (error) throw new Error(`${name} is not as documented:\n${JSON.stringify(error.issues.slice(0, 5), null, 1)}\n${JSON.stringify(value)?.slice(0, 2_000)}`);
}
