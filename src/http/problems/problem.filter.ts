import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { requestIdOf } from '../request-context.js';
import { type Problem, problemOf } from './problem.js';

/** Answers every error with a problem document. What nobody expected is logged in full and told to nobody. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log = new Logger('Http');

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const problem = problemOf(error, requestIdOf(response));
    if (problem.code === 'internal_error') this.#log.error(error);
    if (response.headersSent || response.destroyed) {
      // An answer that broke off half-way must not look like a whole one.
      response.destroy();
      return;
    }
    sendProblem(response, problem);
  }
}

/** `challenge`: how to ask for credentials, when not for a token. */
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
