import { type CanActivate, type ExecutionContext, Inject, Injectable, Logger } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Accounts, Clock, Credentials, Links } from '../../ports/index.js';
import { AccessLog } from '../../engine/commands/access-log.js';
import { isTenantAction, scopeOf } from '../../../packages/protocol/access/actions.js';
import { hasScope, may, TENANT } from '../../../packages/protocol/access/may.js';
import { authorizedCaller, type Principal, principalOf } from '../../../packages/protocol/access/principal.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { pathId } from '../path-id.js';
import { ACCESS, type Access, API_KEY, TICKET } from './access.js';
import { BearerTokens } from './bearer-tokens.js';
import { BrowserSignIns } from './browser-sign-ins.js';
import { identify } from './caller.js';
import { Operators } from './operators.js';
import { RateLimits } from './rate-limits.js';
import { TenantDoor } from './tenant-door.js';

/** Secrets of links begin with this, tokens do not. */
const LINK = 'vbl_';

const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;

/**
 * Enforces the access that each route declares, and the rate limits. A route without a declaration cannot be called. An action in a
 * session is checked where the session is loaded.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  readonly #log = new Logger('Access');

  constructor(
    private readonly reflector: Reflector,
    private readonly accounts: Accounts,
    private readonly credentials: Credentials,
    private readonly tokens: BearerTokens,
    private readonly browsers: BrowserSignIns,
    private readonly limits: RateLimits,
    private readonly door: TenantDoor,
    private readonly operators: Operators,
    private readonly clock: Clock,
    private readonly accesses: AccessLog,
    private readonly links: Links,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'UPSTREAM_AUTH'>,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    const request = context.switchToHttp().getRequest<Request>();
    if (access === undefined) throw new Error(`${context.getClass().name}.${context.getHandler().name} declares no access`);
    if (access === 'public') return true;
    if (access === 'operator') {
      await this.operators.require(request);
      return true;
    }
    const principal = (await this.#redeemed(context, request)) ?? (await this.#authenticate(request, this.#headerIn(context, request)));
    await this.limits.countRequest(principal);
    await this.door.enter(principal.tenantId, context.switchToHttp().getResponse<Response>());
    if (!hasScope(principal, access)) {
      throw new DomainError('forbidden', `These credentials are limited to other scopes; this needs the scope ${scopeOf(access)}.`);
    }
    if (principal.link !== null && access !== 'link.read') {
      throw new DomainError('forbidden', 'A link shows one conversation and allows nothing else; use it for GET /v1/shared.');
    }
    if (access === 'link.read' && !may(principal, access, { kind: 'link' })) {
      throw new DomainError('forbidden', 'This route shows what a link shows; send the secret of a link as bearer token.');
    }
    if (isTenantAction(access) && !may(principal, access, TENANT)) {
      throw new DomainError('forbidden', `Your role in the tenant does not allow ${access}; use the credentials of a user with another role.`);
    }
    const caller = authorizedCaller(principal, access, this.clock.now());
    identify(request, caller);
    const { id } = request.params;
    if (access === 'session.read' && id !== undefined) await this.accesses.record(caller, pathId(id));
    if (caller.link) await this.accesses.record(caller, caller.link.sessionId);
    return true;
  }

  /** The principal of a stream ticket; null when the route takes none, or the request has none. */
  async #redeemed(context: ExecutionContext, request: Request): Promise<Principal | null> {
    const { ticket } = request.query;
    if (typeof ticket !== 'string' || !this.reflector.get<boolean | undefined>(TICKET, context.getHandler())) return null;
    const { id } = request.params;
    const principal = await this.accounts.redeemStreamTicket(ticket, id === undefined ? null : pathId(id));
    if (principal && (await this.credentials.ended(principal.tenantId, [principal])).size === 0) return principal;
    this.#log.warn({ msg: 'A stream ticket was rejected.', reason: 'it is unknown, used or expired, for another stream, or its credentials have ended' });
    await this.limits.countFailure(request.socket.remoteAddress ?? '');
    throw new DomainError('unauthenticated', 'The stream ticket is not valid: it is unknown, used, expired, or for another stream. Create another one.', [], {
      presented: true,
    });
  }

  /** The header with the token. */
  #headerIn(context: ExecutionContext, { headers, rawHeaders }: Request): string | undefined {
    if (this.reflector.get<boolean | undefined>(API_KEY, context.getHandler()) !== true) return headers.authorization;
    const own = headers['x-verbatim-key'];
    if (typeof own === 'string' && own !== '') {
      // Of a header that stands twice, `headers` may have the first only; all of them are passed on.
      const isPassedOn = rawHeaders.some((value, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() !== 'x-verbatim-key' && value.includes(own));
      if (this.settings.UPSTREAM_AUTH === 'forward' && isPassedOn)
        throw new DomainError(
          'invalid_input',
          'The token of this server is in a header that is passed on to the model API; it belongs in x-verbatim-key alone.',
        );
      return `Bearer ${own}`;
    }
    if (this.settings.UPSTREAM_AUTH === 'forward') {
      throw new DomainError(
        'unauthenticated',
        'Send your token of this server in the header x-verbatim-key: x-api-key and Authorization are passed on to the model API.',
      );
    }
    const key = headers['x-api-key'];
    return typeof key === 'string' ? `Bearer ${key}` : headers.authorization;
  }

  /** Throws `unauthenticated` without valid credentials. A cookie counts only without a token. */
  async #authenticate(request: Request, header: string | undefined): Promise<Principal> {
    if (header === undefined) return this.#signedIn(request);
    const token = BEARER.exec(header)?.[1];
    const principal = token === undefined ? null : await this.#principal(token);
    if (principal) return principal;
    if (token === undefined) this.#log.warn({ msg: 'A token was rejected.', reason: 'the header is not Bearer with a token' });
    await this.limits.countFailure(request.socket.remoteAddress ?? '');
    throw new DomainError('unauthenticated', 'The token is not valid: it is unknown, revoked, expired, or its signature or claims are not accepted.', [], {
      presented: true,
    });
  }

  async #signedIn(request: Request): Promise<Principal> {
    const principal = await this.browsers.principal(request);
    if (principal) return principal;
    if (!this.browsers.isPresented(request)) {
      throw new DomainError('unauthenticated', 'The request has no token. Send the header Authorization: Bearer <token>.');
    }
    await this.limits.countFailure(request.socket.remoteAddress ?? '');
    throw new DomainError('unauthenticated', 'The browser is signed out: its cookie is unknown, ended or expired. Sign in again.');
  }

  async #principal(token: string): Promise<Principal | null> {
    if (token.startsWith(LINK)) {
      const link = await this.links.redeem(token);
      return link && principalOf({ tenantId: link.tenantId, userId: link.linkId, role: 'member', link });
    }
    return this.tokens.principal(token);
  }
}
