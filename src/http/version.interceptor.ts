import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';

/** A response body that is serialized already. */
export class SerializedBody {
  constructor(
    readonly json: Uint8Array,
    /** The version of the session; null when it is not about one. */
    readonly version: number | null,
  ) {}
}

/** Sets the session's version as the entity tag, and marks the response to a repeated command. */
@Injectable()
export class VersionInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(map((body: unknown) => tagged(body, response)));
  }
}

function tagged(body: unknown, response: Response): unknown {
  if (body instanceof SerializedBody) {
    if (body.version !== null) response.setHeader('etag', `"${body.version}"`);
    return new StreamableFile(body.json, { type: 'application/json; charset=utf-8' });
  }
  if (typeof body !== 'object' || body === null || !('version' in body)) return body;
  response.setHeader('etag', `"${String(body.version)}"`);
  if (!('replayed' in body)) return body;
  const { replayed, ...rest } = body;
  if (replayed === true) response.setHeader('idempotency-replayed', 'true');
  return rest;
}
