import { HttpException } from '@nestjs/common';
import { type Fault, DomainError } from '../../core/errors.js';
import { type ProblemCode, PROBLEMS } from './status.js';

/** RFC 9457, with our members: `code` to branch on, `instance` to quote when asking for help, `errors` per fault of the input. */
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
  if (error instanceof HttpException) return ofFramework(error, requestId);
  return problem('internal_error', requestId);
}

function problem(code: ProblemCode, requestId: string, detail?: string): Problem {
  const [status, title] = PROBLEMS[code];
  return { type: `/problems/${code}`, title, status, ...(detail === undefined ? {} : { detail }), code, instance: requestId };
}

function entry({ pointer, text }: Fault): { readonly pointer: string; readonly detail: string } {
  return { pointer, detail: text };
}

/** What Nest and Express refuse by themselves. Their sentences may quote the request, so they are replaced by ours. */
function ofFramework(error: HttpException, requestId: string): Problem {
  switch (error.getStatus()) {
    case 404:
      return problem('not_found', requestId, 'There is no such route; /openapi.json lists them all.');
    case 415:
      return problem('unsupported_media_type', requestId, 'Send the body as application/json in UTF-8, uncompressed.');
    case 503:
      return problem('unavailable', requestId, 'The server cannot answer this now; try again.');
    case 400:
      return problem('invalid_input', requestId, 'The request could not be read.');
    default:
      return problem('internal_error', requestId);
  }
}
