import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';
import { type ProblemCode, PROBLEMS } from '../problems/status.js';

export interface RouteNotes {
  readonly summary: string;
  readonly description?: string;
  readonly status: number;
  /** Shape of the answer; a media type where it is no JSON. */
  readonly answer: z.ZodType | string | null;
  readonly example?: unknown;
  /** What it refuses besides what every route may refuse. */
  readonly refuses: readonly ProblemCode[];
  /** Takes a JSON body. */
  readonly body?: boolean;
  /** Changes a session: takes an idempotency key and a condition. */
  readonly command?: boolean;
  /** Anybody may call it. */
  readonly open?: boolean;
}

/** Extension of an operation: every code it can answer with. */
export const CODES = 'x-problem-codes';

/** Says of a route what it does, what it answers and what it refuses; the OpenAPI document is made of it. */
export function ApiRoute(notes: RouteNotes): MethodDecorator {
  const codes = codesOf(notes);
  return applyDecorators(
    ApiOperation({
      summary: notes.summary,
      ...(notes.description === undefined ? {} : { description: notes.description }),
      ...(notes.open ? { security: [] } : {}),
    }),
    ApiExtension(CODES, codes),
    success(notes),
    ...[...new Set(codes.map((code) => PROBLEMS[code][0]))].map((status) => refusals(status, codes)),
    ...(notes.command ? commandHeaders() : []),
  );
}

function codesOf({ refuses, body, command, open }: RouteNotes): readonly ProblemCode[] {
  return [
    ...new Set<ProblemCode>([
      ...refuses,
      ...(body ? (['invalid_input', 'malformed_json', 'payload_too_large', 'unsupported_media_type'] as const) : []),
      ...(command ? (['invalid_input', 'version_conflict', 'idempotency_mismatch'] as const) : []),
      ...(open ? [] : (['unauthenticated', 'rate_limited', 'unavailable'] as const)),
      'internal_error',
    ]),
  ];
}

function success({ status, answer, example, summary }: RouteNotes): MethodDecorator {
  const shown = example === undefined ? {} : { example };
  if (answer === null) return ApiResponse({ status, description: summary });
  if (typeof answer === 'string') return ApiResponse({ status, description: summary, content: { [answer]: { schema: { type: 'string' }, ...shown } } });
  return ApiResponse({ status, description: summary, standardSchema: answer as never, ...shown });
}

function refusals(status: number, codes: readonly ProblemCode[]): MethodDecorator {
  const here = codes.filter((code) => PROBLEMS[code][0] === status);
  return ApiResponse({
    status,
    description: here.map((code) => `\`${code}\`: ${PROBLEMS[code][1]}.`).join(' '),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(here.map((code) => [code, { summary: PROBLEMS[code][1], value: exampleOf(code) }])),
      },
    },
  });
}

function exampleOf(code: ProblemCode): object {
  const [status, title] = PROBLEMS[code];
  return { type: `/problems/${code}`, title, status, code, instance: '5b1f0c5e-6a3e-4d59-8a4b-7f0a6d1f3c2e' };
}

function commandHeaders(): readonly MethodDecorator[] {
  return [
    ApiHeader({ name: 'Idempotency-Key', required: false, description: '1 to 255 visible characters: the same key and body give the first answer again.' }),
    ApiHeader({
      name: 'X-Workload',
      required: false,
      description: '1 to 128 visible characters: a tag for hooks, tools, logs and traces of all that this causes; the model never sees it.',
    }),
    ApiHeader({ name: 'If-Match', required: false, description: "The session's version in quotes: refused with 412 when it is another by now." }),
  ];
}
