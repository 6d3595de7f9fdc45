import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { finalize, type Observable } from 'rxjs';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { noteBodyDigest } from './body.interceptor.js';
import { spool } from './spool.js';
import { JsonReader } from './json-reader.js';
import { SpooledLines } from './spooled-lines.js';

const NDJSON_TYPE = /^application\/(?:x-ndjson|ndjson|x-jsonlines|jsonl)\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** A line may have more values and text than a body: what one request brought is exported with the members that the server added. */
const LINE_SHARE = 2;

/** Passes the body to the route as lines of a file. The handler runs after the whole body has arrived, so a disconnected client leaves no partial session. */
@Injectable()
export class SpoolInterceptor implements NestInterceptor {
  constructor(
    private readonly json: JsonReader,
    @Inject(SETTINGS) private readonly settings: Pick<
      Settings,
      'MAX_IMPORT_BYTES' | 'MAX_IMPORT_LINE_BYTES' | 'MAX_IMPORT_LINES' | 'MAX_JSON_DEPTH' | 'MAX_JSON_VALUES' | 'MAX_JSON_TEXT_BYTES'
    >,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding.toLowerCase() !== 'identity' || !NDJSON_TYPE.test(request.headers['content-type'] ?? '')) {
      throw new DomainError('unsupported_media_type', 'The body must be application/x-ndjson in UTF-8, uncompressed.');
    }
    const {
      MAX_IMPORT_BYTES,
      MAX_IMPORT_LINE_BYTES: maxLineBytes,
      MAX_IMPORT_LINES: maxLines,
      MAX_JSON_DEPTH: maxDepth,
      MAX_JSON_VALUES: values,
      MAX_JSON_TEXT_BYTES: textBytes,
    } = this.settings;
    const { handle, sha256 } = await spool(request, MAX_IMPORT_BYTES);
    noteBodyDigest(request, sha256);
    const limits = { maxLineBytes, maxLines, maxDepth, maxValues: LINE_SHARE * values, maxTextBytes: LINE_SHARE * textBytes, isTranscript: true };
    request.body = new SpooledLines(handle, limits, this.json);
    return next.handle().pipe(finalize(() => void handle.close()));
  }
}
