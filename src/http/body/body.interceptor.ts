import { createHash } from 'node:crypto';
import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor, SetMetadata, UnsupportedMediaTypeException } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { RAW_BODY } from './raw-body.js';
import { JsonReader } from './json-reader.js';
import { readBody } from './read-body.js';

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const EMPTY = createHash('sha256').digest('hex');

/** Metadata key of routes that read the body as a stream. */
const STREAMED = 'body is streamed';

/** The body is not read into memory; an interceptor of the route reads the stream. */
export const StreamedBody = () => SetMetadata(STREAMED, true);

const digests = new WeakMap<Request, string>();

/** SHA-256 (hexadecimal) of the body's bytes. */
export function bodyDigestOf(request: Request): string {
  return digests.get(request) ?? EMPTY;
}

/** Records the digest of a body that another interceptor has read. */
export function noteBodyDigest(request: Request, sha256: string): void {
  digests.set(request, sha256);
}

/** Reads the body after the guards, so that an unauthenticated request cannot make the server buffer megabytes. An absent body is an empty object. */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly json: JsonReader,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_BODY_BYTES'>,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    if (this.reflector.get<boolean | undefined>(STREAMED, context.getHandler())) return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    if (request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH') {
      const bytes = await this.#read(request);
      request.body = this.reflector.get<boolean | undefined>(RAW_BODY, context.getHandler()) ? bytes : await this.#parse(request, bytes);
    }
    return next.handle();
  }

  async #read(request: Request): Promise<Buffer> {
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw new UnsupportedMediaTypeException();
    if (hasBody(request) && !JSON_TYPE.test(request.headers['content-type'] ?? '')) throw new UnsupportedMediaTypeException();
    return readBody(request, this.settings.MAX_BODY_BYTES);
  }

  async #parse(request: Request, bytes: Buffer): Promise<unknown> {
    if (bytes.length === 0) return {};
    const { value, sha256 } = await this.json.read(bytes);
    digests.set(request, sha256);
    return value;
  }
}

function hasBody(request: Request): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}
