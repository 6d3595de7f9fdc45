import { applyDecorators, SetMetadata } from '@nestjs/common';
import type { ApiResponseOptions } from '@nestjs/swagger';
import type { z } from 'zod';
import { isSessionAction } from '../../../packages/protocol/access/actions.js';
import type { CommandType } from '../../engine/commands/define-command.js';
import { SENDS } from '../../engine/feature.js';
import { type Access, RequireAccess, TICKET } from '../access/access.js';
import { type ProblemCode, PROBLEMS } from '../problems/status.js';
import { described, header } from './described.js';

interface RouteParts {
  /** The operation id: a verb and its object, which is what generated clients call the method. */
  readonly operation: string;
  readonly summary: string;
  readonly description: string;
  readonly status: number;
  /** Schema of the response body; a media type where it is not JSON; null without a body. */
  readonly response: z.ZodType | string | null;
  /** When the route answers 204 without a body instead. */
  readonly emptyWhen?: string;
  /** Of an event stream: the component that describes its events. */
  readonly events?: 'StreamedEvent' | 'SessionsChange';
  readonly example?: unknown;
  /** Codes of its own, in addition to those that follow from the other members. */
  readonly problems: readonly ProblemCode[];
  /** Takes a JSON body. */
  readonly body?: boolean;
  /** Takes a condition on the version of what it changes: what that version is of. A route that sends a command has one on the version of the session. */
  readonly conditional?: string;
  /** Also admits a stream ticket of the session, as the query parameter `ticket`. */
  readonly ticket?: boolean;
}

/** A route that sends a command takes an idempotency key and a condition, and has the access of the command. */
export type RouteDescription = RouteParts &
  ({ readonly access: Access; readonly command?: never } | { readonly command: CommandType; readonly access?: never });

/** Who may call the route. */
export const accessOf = (route: RouteDescription): Access => (route.command ? route.command.action : route.access);

/** Extensions of an operation: every problem code of its responses, and its access. */
export const CODES = 'x-problem-codes';
export const ACCESS_EXTENSION = 'x-access';

/** Metadata key of the description, for tests that compare responses with it. */
export const ROUTE = 'verbatim:route';

/** Declares a route: its access, which the guard enforces, and everything that the OpenAPI document states about it. */
export function ApiRoute(route: RouteDescription): MethodDecorator {
  const codes = codesOf(route);
  const access = accessOf(route);
  return applyDecorators(
    SetMetadata(ROUTE, route),
    RequireAccess(access),
    SetMetadata(TICKET, route.ticket === true),
    described((library) => [
      library.ApiOperation({
        operationId: route.operation,
        summary: route.summary,
        description: route.description,
        ...(access === 'public' ? { security: [] } : access === 'operator' ? { security: [{ operator: [] }, {}] } : {}),
      }),
      library.ApiExtension(ACCESS_EXTENSION, access),
      library.ApiExtension(CODES, codes),
      ...responsesOf(route, codes).map((response) => library.ApiResponse(response)),
    ]),
    ...(route.command ? [SetMetadata(SENDS, route.command), ...commandHeaders()] : []),
    ...(route.conditional === undefined ? [] : [ifMatch(route.conditional)]),
  );
}

function accessProblems(access: Access): readonly ProblemCode[] {
  if (access === 'public') return [];
  if (access === 'operator') return ['unauthenticated', 'rate_limited'];
  const problems: readonly ProblemCode[] = ['unauthenticated', 'rate_limited', 'tenant_busy', 'tenant_moving', 'unavailable', 'key_unavailable', 'forbidden'];
  return isSession(access) ? [...problems, 'session_not_found', 'server_outdated', 'log_tampered'] : problems;
}

const isSession = (access: Access): boolean => access !== 'public' && access !== 'operator' && isSessionAction(access);

/** Every problem code of the route's responses. */
export function codesOf(route: RouteDescription): readonly ProblemCode[] {
  const { problems, body, command } = route;
  const access = accessOf(route);
  return [
    ...new Set<ProblemCode>([
      ...problems,
      ...(body ? (['invalid_input', 'malformed_json', 'payload_too_large', 'unsupported_media_type'] as const) : []),
      ...(command ? (['invalid_input', 'version_conflict', 'idempotency_mismatch'] as const) : []),
      ...(command && isSession(access) ? (['session_erased'] as const) : []),
      ...accessProblems(access),
      'internal_error',
    ]),
  ];
}

function responsesOf(route: RouteDescription, codes: readonly ProblemCode[]): readonly ApiResponseOptions[] {
  const statuses = new Set(codes.map((code) => PROBLEMS[code][0]));
  return [
    success(route),
    ...(route.emptyWhen === undefined ? [] : [{ status: 204, description: route.emptyWhen }]),
    ...[...statuses].map((status) => problemResponse(status, codes)),
  ];
}

function success({ status, response, events, example, summary }: RouteDescription): ApiResponseOptions {
  const shown = example === undefined ? {} : { example };
  if (response === null) return { status, description: summary };
  if (typeof response === 'string') return { status, description: summary, content: { [response]: { schema: textSchema(response, events), ...shown } } };
  return { status, description: summary, standardSchema: response as never, ...shown };
}

function textSchema(mediaType: string, events?: string): { readonly type: 'string'; readonly [member: string]: unknown } {
  return { type: 'string', ...(events === undefined ? {} : { contentMediaType: mediaType, contentSchema: { $ref: `#/components/schemas/${events}` } }) };
}

function problemResponse(status: number, codes: readonly ProblemCode[]): ApiResponseOptions {
  const here = codes.filter((code) => PROBLEMS[code][0] === status);
  return {
    status,
    description: here.map((code) => `\`${code}\`: ${PROBLEMS[code][1]}.`).join(' '),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(here.map((code) => [code, { summary: PROBLEMS[code][1], value: exampleOf(code) }])),
      },
    },
  };
}

function exampleOf(code: ProblemCode): object {
  const [status, title] = PROBLEMS[code];
  return { type: `/problems/${code}`, title, status, code, instance: '5b1f0c5e-6a3e-4d59-8a4b-7f0a6d1f3c2e' };
}

function commandHeaders(): readonly MethodDecorator[] {
  return [
    header('Idempotency-Key', '1 to 255 visible ASCII characters. A repeat with the same key and body returns the first response again.'),
    header(
      'X-Workload',
      '1 to 128 visible ASCII characters: a tag for the hooks, tools, logs and traces of everything this request causes. The model never sees it.',
    ),
    ifMatch("The session's expected version in quotes; responds with 412 when it has changed."),
  ];
}

const ifMatch = (description: string): MethodDecorator => header('If-Match', description);
