import { HttpException } from '@nestjs/common';
import { type FieldError, DomainError } from '../../../packages/protocol/errors.js';
import { type ProblemCode, PROBLEMS } from './status.js';

/** RFC 9457, with extension members: `code` is stable, `instance` is the request id (as in the log), `errors` has one entry per fault of the input. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly code: ProblemCode;
  readonly instance: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
  readonly [member: string]: unknown;
}

export function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof DomainError) {
    return { ...problem(error.code, requestId, error.message), ...error.details, ...(error.faults.length > 0 ? { errors: error.faults.map(entry) } : {}) };
  }
  if (error instanceof HttpException) return frameworkProblem(error, requestId);
  return problem('internal_error', requestId);
}

function problem(code: ProblemCode, requestId: string, detail?: string): Problem {
  const [status, title] = PROBLEMS[code];
  return { type: `/problems/${code}`, title, status, ...(detail === undefined ? {} : { detail }), code, instance: requestId };
}

function entry({ pointer, text }: FieldError): { readonly pointer: string; readonly detail: string } {
  return { pointer, detail: text };
}

/** Errors of Nest and Express. Their messages may quote the request, so they are replaced. */
function frameworkProblem(error: HttpException, requestId: string): Problem {
  switch (error.getStatus()) {
    case 404:
      return problem('not_found', requestId, 'This route does not exist; /openapi.json lists all routes.');
    case 415:
      return problem('unsupported_media_type', requestId, 'The body must be application/json in UTF-8, uncompressed.');
    case 503:
      return problem('unavailable', requestId, 'The server cannot process the request now; try again.');
    case 400:
      return problem('invalid_input', requestId, 'The request could not be read.');
    default:
      return problem('internal_error', requestId);
  }
}
