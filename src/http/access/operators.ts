import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { problemOf } from '../problems/problem.js';
import { sendProblem } from '../problems/problem.filter.js';
import { requestIdOf } from '../request-context.js';
import { RateLimits } from './rate-limits.js';

const SCHEME = /^(Basic|Bearer) +(.+)$/i;

/** The pages load nothing from other hosts; their libraries set inline styles. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

const CHALLENGE = 'Basic realm="operators", charset="UTF-8"';

/** Headers that a proxy adds: a request that carries one was not sent from this machine. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * The operator of the deployment: identified by OPERATOR_TOKEN, as a bearer token or as the password of any user name. Without that setting, a request counts
 * as the operator's when it comes from this machine: loopback peer, loopback Host, no header of a proxy. With TOOLS, commands of sessions may come from this machine,
 * too, so that the setting is needed.
 */
@Injectable()
export class Operators {
  readonly #expected: Buffer | null;
  readonly #isMachineTrusted: boolean;

  constructor(
    @Inject(SETTINGS) settings: Pick<Settings, 'OPERATOR_TOKEN' | 'TOOLS'>,
    private readonly limits: RateLimits,
  ) {
    this.#expected = settings.OPERATOR_TOKEN === undefined ? null : digest(settings.OPERATOR_TOKEN);
    this.#isMachineTrusted = settings.TOOLS.length === 0;
  }

  /** Throws `unauthenticated` for every other caller; counts wrong secrets per address. */
  async require(request: Request): Promise<void> {
    if (this.#expected === null) {
      if (isLocal(request) && this.#isMachineTrusted) return;
      if (!this.#isMachineTrusted)
        throw new DomainError('unauthenticated', 'With TOOLS, commands of sessions run on this machine: set OPERATOR_TOKEN and send it as a bearer token.');
      throw new DomainError('unauthenticated', 'Only this machine may read this while OPERATOR_TOKEN is unset. Set it and send it as a bearer token.');
    }
    const given = secretIn(request.headers.authorization);
    if (given !== null && timingSafeEqual(digest(given), this.#expected)) return;
    if (given !== null) await this.limits.countFailure(request.socket.remoteAddress ?? '');
    throw new DomainError('unauthenticated', 'Send OPERATOR_TOKEN as a bearer token, or as the password with any user name.');
  }

  /** Middleware of the read-only pages: a browser sends the password by itself, so no request of theirs may change anything. */
  pages() {
    return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
      try {
        await this.require(request);
        if (request.method !== 'GET' && request.method !== 'HEAD') throw new DomainError('forbidden', 'These pages are read-only; send GET or HEAD.');
      } catch (error) {
        return sendProblem(response, problemOf(error, requestIdOf(response)), CHALLENGE);
      }
      response.setHeader('content-security-policy', PAGE_POLICY);
      response.setHeader('cache-control', 'no-store');
      next();
    };
  }
}

/** Error middleware of the operators' pages: the same problem documents as everywhere else. */
export function operatorsProblem(error: unknown, _request: Request, response: Response, _next: NextFunction): void {
  sendProblem(
    response,
    problemOf(error instanceof DomainError ? error : new DomainError('unavailable', 'The queue does not respond; try again.'), requestIdOf(response)),
  );
}

function isLocal(request: Request): boolean {
  const address = request.socket.remoteAddress ?? '';
  return (
    /^(?:::ffff:)?127\.|^::1$/.test(address) &&
    LOOPBACK_HOST.test(request.headers.host ?? '') &&
    PROXY_HEADERS.every((name) => request.headers[name] === undefined)
  );
}

function secretIn(header: string | undefined): string | null {
  const [, scheme = '', value = ''] = SCHEME.exec(header ?? '') ?? [];
  if (value === '') return null;
  if (scheme.toLowerCase() === 'bearer') return value;
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(value, 'base64').toString()) ?? [];
  return password ?? null;
}

/** Equal length for every input, so that the comparison takes constant time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
