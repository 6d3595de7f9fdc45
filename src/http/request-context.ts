import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Span, Telemetry } from '../ports/index.js';

const REQUEST_ID = 'x-request-id';
/** A tag of the client; attached to everything the request causes. */
const WORKLOAD = 'x-workload';
const VISIBLE = /^[\x21-\x7e]{1,128}$/;

/** Polled every few seconds by machines; not traced, and logged at debug level only. */
const PROBES = /^\/(?:health|metrics)(?:\/|$)/;

/** The outermost middleware: gives a request its id and span, and logs, counts and times it. */
export function requestContext(telemetry: Telemetry): RequestHandler {
  const log = new Logger('Http');

  const record = (request: Request, response: Response, started: number, span: Span | null): void => {
    const { method } = request;
    const seconds = (performance.now() - started) / 1000;
    const route = routeOf(request);
    const status = String(response.statusCode);
    telemetry.count('http_requests', { method, route, status });
    telemetry.observe('http_request_seconds', { method, route }, seconds);
    span?.rename(`${method} ${route}`);
    span?.set({ 'http.route': route, 'http.response.status_code': response.statusCode });
    if (response.statusCode >= 500) span?.failed(`HTTP ${status}`);
    const line = { msg: 'request', method, route, status: response.statusCode, complete: response.writableFinished, seconds };
    if (PROBES.test(request.path)) log.debug(line);
    else log.log(line);
  };

  /** Resolves when the response is sent, or its connection is closed. Not an async function: it would hold `next`, and with it the state of the router, while a stream is open. */
  const serve = (request: Request, response: Response, next: NextFunction, span: Span | null): Promise<void> => {
    const started = performance.now();
    const traceparent = telemetry.traceContext();
    if (traceparent !== null) response.setHeader('traceresponse', traceparent);
    const closed = new Promise<void>((resolve) => void response.once('close', resolve));
    next();
    return closed.then(() => record(request, response, started, span));
  };

  return (request: Request, response: Response, next: NextFunction) => {
    const given = request.get(REQUEST_ID);
    const requestId = given !== undefined && VISIBLE.test(given) ? given : randomUUID();
    const workload = workloadOf(request);
    response.setHeader(REQUEST_ID, requestId);
    void telemetry.within({ requestId, ...(workload ? { workload } : {}) }, () => {
      if (PROBES.test(request.path)) return serve(request, response, next, null);
      const { method } = request;
      return telemetry.continued(request.get('traceparent') ?? null, () =>
        telemetry.span(method, { 'http.request.method': method }, (span) => serve(request, response, next, span), 'server'),
      );
    });
  };
}

export function requestIdOf(response: Response): string {
  return String(response.getHeader(REQUEST_ID) ?? '');
}

/** The workload tag of the request; null when it is not valid. */
export function workloadOf(request: Request): string | null | undefined {
  const given = request.get(WORKLOAD);
  return given === undefined || VISIBLE.test(given) ? given : null;
}

/** The route's pattern, so that ids do not create labels. */
function routeOf(request: Request): string {
  const route: unknown = request.route;
  return typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string' ? route.path : 'none';
}
