import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { DomainError } from '../../core/errors.js';
import { Accounts } from '../../core/ports.js';
import { identify, OPEN } from './caller.js';
import { RateLimits } from './rate-limits.js';
import { SignedTokens } from './signed-tokens.js';
import type { Principal } from '../../core/session/principal.js';

const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;

/** Nobody passes without a valid bearer token, except on routes marked open; nobody passes more often than allowed. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly accounts: Accounts,
    private readonly signed: SignedTokens,
    private readonly limits: RateLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.getAllAndOverride<boolean | undefined>(OPEN, [context.getHandler(), context.getClass()])) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const principal = await this.authenticate(request);
    await this.limits.countRequest(principal);
    identify(request, principal);
    return true;
  }

  /** Throws `unauthenticated` without valid credentials. */
  async authenticate(request: Request): Promise<Principal> {
    const header = request.headers.authorization;
    if (header === undefined) throw new DomainError('unauthenticated', 'Send a token: Authorization: Bearer <token>.');
    const token = BEARER.exec(header)?.[1];
    const principal = token === undefined ? null : await this.#principal(token);
    if (principal) return principal;
    await this.limits.countFailure(request.socket.remoteAddress ?? '');
    throw new DomainError('unauthenticated', 'The token is not valid: unknown, revoked, expired, or not signed as it must be.', [], { presented: true });
  }

  #principal(token: string): Promise<Principal | null> {
    return this.signed.accepts(token) ? this.signed.principal(token) : this.accounts.principal(token);
  }
}
