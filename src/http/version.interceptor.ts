import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';

/** An answer that is JSON already. */
export class SerializedMessage {
  constructor(
    readonly json: Uint8Array,
    /** The session's version, if it is about one. */
    readonly version: number | null,
  ) {}
}

/** An answer that carries a session's version names it as its entity tag too; the answer to a repeat says that it is one. */
@Injectable()
export class VersionInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(map((answer: unknown) => tagged(answer, response)));
  }
}

function tagged(answer: unknown, response: Response): unknown {
  if (answer instanceof SerializedMessage) {
    if (answer.version !== null) response.setHeader('etag', `"${answer.version}"`);
    return new StreamableFile(answer.json, { type: 'application/json; charset=utf-8' });
  }
  if (typeof answer !== 'object' || answer === null || !('version' in answer)) return answer;
  response.setHeader('etag', `"${String(answer.version)}"`);
  if (!('replayed' in answer)) return answer;
  const { replayed, ...rest } = answer;
  if (replayed === true) response.setHeader('idempotency-replayed', 'true');
  return rest;
}
