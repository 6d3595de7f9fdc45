import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { requestIdOf } from '../request-context.js';
import { type Problem, problemOf } from './problem.js';

/** Responds to every error with a problem document. An unexpected error is logged in full; the response contains none of it. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log = new Logger('Http');

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const problem = problemOf(error, requestIdOf(response));
    if (problem.code === 'internal_error') this.#log.error(error);
    if (response.headersSent || response.destroyed) {
      // A truncated response must not look complete.
      response.destroy();
      return;
    }
    sendProblem(response, problem);
  }
}

/** `challenge`: value of WWW-Authenticate for a 401. */
export function sendProblem(response: Response, problem: Problem, challenge = bearer(problem)): void {
  const { retryAfter } = problem;
  if (typeof retryAfter === 'number') response.setHeader('retry-after', String(retryAfter));
  if (problem.status === 401) response.setHeader('www-authenticate', challenge);
  response.removeHeader('etag');
  response.status(problem.status).type('application/problem+json').send(JSON.stringify(problem));
}

function bearer({ presented }: Problem): string {
  return presented === true ? 'Bearer realm="api", error="invalid_token"' : 'Bearer realm="api"';
}
