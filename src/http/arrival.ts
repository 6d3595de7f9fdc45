import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Span, Telemetry } from '../core/ports.js';

const REQUEST_ID = 'x-request-id';
/** Names what a request belongs to; travels with everything it causes. */
const WORKLOAD = 'x-workload';
/** W3C Trace Context: the trace that the caller's own work belongs to. */
const TRACEPARENT = 'traceparent';
const VISIBLE = /^[\x21-\x7e]{1,128}$/;

/** First to see a request, last to see its answer: gives it an id, ties its log lines together, counts and times it. */
export function arrival(telemetry: Telemetry): RequestHandler {
  const log = new Logger('Http');
  return (request: Request, response: Response, next: NextFunction) => {
    const started = performance.now();
    const given = request.get(REQUEST_ID);
    const requestId = given !== undefined && VISIBLE.test(given) ? given : randomUUID();
    const workload = workloadOf(request);
    response.setHeader(REQUEST_ID, requestId);
    const tagged = { requestId, ...(workload === undefined ? {} : { workload }) };
    const parent = request.get(TRACEPARENT);
    const options = { kind: 'server' as const, attributes: { 'http.request.method': request.method, ...tagged }, ...(parent === undefined ? {} : { parent }) };
    const handle = (span: Span): Promise<void> => {
      const traceparent = telemetry.traceparent();
      if (traceparent !== null) response.setHeader(TRACEPARENT, traceparent);
      const closed = new Promise<void>((resolve) => response.once('close', resolve)).then(() => {
        const seconds = (performance.now() - started) / 1000;
        const route = routeOf(request);
        const status = String(response.statusCode);
        span.rename(`${request.method} ${route}`);
        span.annotate({ 'http.route': route, 'http.response.status_code': status });
        telemetry.count('http_requests', { method: request.method, route, status });
        telemetry.observe('http_request_seconds', { method: request.method, route }, seconds);
        log.debug({ msg: 'answered', method: request.method, route, status, complete: response.writableFinished, seconds }, 'Http');
      });
      next();
      return closed;
    };
    void telemetry.within(tagged, () => telemetry.span(request.method, options, handle));
  };
}

export function requestIdOf(response: Response): string {
  return String(response.getHeader(REQUEST_ID) ?? '');
}

export function workloadOf(request: Request): string | undefined {
  const given = request.get(WORKLOAD);
  return given !== undefined && VISIBLE.test(given) ? given : undefined;
}

/** The route's pattern, so that ids make no new labels. */
function routeOf(request: Request): string {
  const route: unknown = request.route;
  return typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string' ? route.path : 'none';
}
