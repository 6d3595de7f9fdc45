import { createHash, timingSafeEqual } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { DomainError } from '../../core/errors.js';
import { requestIdOf } from '../request-context.js';
import { problemOf } from '../problems/problem.js';
import { sendProblem } from '../problems/problem.filter.js';
import type { RateLimits } from './rate-limits.js';

const SCHEME = /^(Basic|Bearer) +(.+)$/i;

/** Pages for operators load nothing from elsewhere; their libraries style elements as they go. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

const CHALLENGE = 'Basic realm="operators", charset="UTF-8"';

/**
 * Lets those pass who know the operators' secret: as a bearer token, or as the password of any name, which is how a browser asks for it. They may look, not
 * change, so that a browser which sends the password along by itself cannot be made to do anything.
 */
export function onlyOperators(secret: string, limits: Pick<RateLimits, 'countFailure'>) {
  const wanted = digest(secret);
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    try {
      const given = secretIn(request.headers.authorization);
      if (given === null || !timingSafeEqual(digest(given), wanted)) {
        if (given !== null) await limits.countFailure(request.socket.remoteAddress ?? '');
        throw new DomainError('unauthenticated', "Give the operators' secret as the password, with any name.");
      }
      if (request.method !== 'GET' && request.method !== 'HEAD') throw new DomainError('forbidden', 'These pages are for looking only.');
    } catch (error) {
      return sendProblem(response, problemOf(error, requestIdOf(response)), CHALLENGE);
    }
    response.setHeader('content-security-policy', PAGE_POLICY);
    response.setHeader('cache-control', 'no-store');
    next();
  };
}

/** Answers what went wrong behind them as every other error is answered. */
export function operatorsProblem(error: unknown, _request: Request, response: Response, _next: NextFunction): void {
  sendProblem(
    response,
    problemOf(error instanceof DomainError ? error : new DomainError('unavailable', 'The queue does not answer; try again.'), requestIdOf(response)),
  );
}

function secretIn(header: string | undefined): string | null {
  const [, scheme = '', value = ''] = SCHEME.exec(header ?? '') ?? [];
  if (value === '') return null;
  if (scheme.toLowerCase() === 'bearer') return value;
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(value, 'base64').toString()) ?? [];
  return password ?? null;
}

/** Of one length, whatever was given: so the time that comparing takes tells nothing. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
