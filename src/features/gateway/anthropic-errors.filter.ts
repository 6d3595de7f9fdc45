import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { typeOfStatus } from '../../engine/model/error-types.js';
import { problemOf } from '../../http/problems/problem.js';
import { requestIdOf } from '../../http/request-context.js';
import { ThreadRefusal } from './thread-refusal.js';

/** Errors of this server in the shape that clients of the Messages API read. `details.error_code` is the stable code of our problem documents. */
@Catch()
export class AnthropicErrors implements ExceptionFilter {
  readonly #log = new Logger('Gateway');

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (error instanceof ThreadRefusal && !response.headersSent && !response.destroyed) return error.send(response);
    const problem = problemOf(error, requestIdOf(response));
    if (problem.code === 'internal_error') this.#log.error(error);
    if (response.headersSent || response.destroyed) {
      // A truncated response must not look complete.
      response.destroy();
      return;
    }
    const { status, code, title, detail, retryAfter, instance } = problem;
    if (typeof retryAfter === 'number') response.setHeader('retry-after', String(retryAfter));
    response.setHeader('request-id', instance);
    const body = { type: 'error', error: { type: typeOfStatus(status), message: detail ?? title, details: { error_code: code } }, request_id: instance };
    response.status(status).type('application/json').send(JSON.stringify(body));
  }
}
