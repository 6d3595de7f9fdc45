import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Accounts } from '../../ports/index.js';
import { BrowserSignIns } from '../../http/access/browser-sign-ins.js';
import { type Attempt, type Failure, Oidc } from '../../http/access/oidc.js';
import { RateLimits } from '../../http/access/rate-limits.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { requestIdOf } from '../../http/request-context.js';
import { oidcCallbackQuery, oidcQuery } from './sign-in-schemas.js';

/** The page that shows why a sign-in failed. */
const SIGN_IN_PAGE = '/console/sign-in';
const FIRST_PAGE = '/console';

/** Signing in at the identity provider. A browser navigates to these routes: they answer with a redirect, after a failure too. */
@ApiTags('sign-in')
@Controller('v1/sign-in/oidc')
export class OidcController {
  constructor(
    private readonly oidc: Oidc,
    private readonly accounts: Accounts,
    private readonly browsers: BrowserSignIns,
    private readonly limits: RateLimits,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'OIDC_ATTEMPT_SECONDS'>,
  ) {}

  @Get()
  @ApiRoute({
    operation: 'beginOidcSignIn',
    access: 'public',
    summary: 'Send the browser to the identity provider',
    description: 'Not found when none is configured.',
    status: 302,
    response: null,
    problems: ['not_found', 'invalid_input'],
  })
  async begin(@Res() response: Response, @Query({ schema: oidcQuery }) { returnTo = FIRST_PAGE }: z.output<typeof oidcQuery>): Promise<void> {
    this.#requireConfigured();
    const begun = await this.oidc.begin(returnTo);
    if (begun === null) return this.#fail(response, 'unavailable');
    this.browsers.keepAttempt(response, JSON.stringify(begun.attempt), this.settings.OIDC_ATTEMPT_SECONDS);
    response.setHeader('cache-control', 'no-store').redirect(302, begun.url);
  }

  @Get('callback')
  @ApiRoute({
    operation: 'completeOidcSignIn',
    access: 'public',
    summary: 'Sign the browser in that comes back from the identity provider',
    description:
      'Redirects to the page on which the sign-in began, or to the sign-in page with the parameters `error`, a problem code, and `instance`, the id of the request.',
    status: 302,
    response: null,
    problems: ['not_found', 'invalid_input', 'rate_limited', 'tenant_moving', 'unavailable'],
  })
  async complete(
    @Req() request: Request,
    @Res() response: Response,
    @Query({ schema: oidcCallbackQuery }) _: z.output<typeof oidcCallbackQuery>,
  ): Promise<void> {
    this.#requireConfigured();
    const attempt = readAttempt(this.browsers.takeAttempt(request, response));
    const identity = attempt === null ? 'rejected' : await this.oidc.complete(new URL(request.originalUrl, 'http://localhost').search, attempt);
    if (attempt === null || typeof identity === 'string') return this.#fail(response, identity as Failure, request);
    const principal = await this.accounts.vouched(identity, (reason) => this.oidc.rejected(reason));
    if (principal === null) return this.#fail(response, 'rejected', request);
    await this.browsers.begin(request, response, principal, 'oidc', identity.groups);
    response.setHeader('cache-control', 'no-store').redirect(302, attempt.returnTo);
  }

  #requireConfigured(): void {
    if (!this.oidc.isConfigured) throw new DomainError('not_found', 'No identity provider is configured; see OIDC_ISSUER.');
  }

  async #fail(response: Response, failure: Failure, request?: Request): Promise<void> {
    if (failure === 'rejected' && request) await this.limits.countFailure(request.socket.remoteAddress ?? '');
    const error = failure === 'rejected' ? 'sign_in_rejected' : 'unavailable';
    response.setHeader('cache-control', 'no-store').redirect(302, `${SIGN_IN_PAGE}?${new URLSearchParams({ error, instance: requestIdOf(response) })}`);
  }
}

/** Null when the browser keeps nothing, or something else. */
function readAttempt(kept: string | null): Attempt | null {
  try {
    const { state, nonce, verifier, returnTo } = JSON.parse(kept ?? '') as Record<string, unknown>;
    const attempt = { state, nonce, verifier, returnTo };
    const { success } = oidcQuery.safeParse({ returnTo });
    return success && Object.values(attempt).every((value) => typeof value === 'string' && value !== '') ? (attempt as unknown as Attempt) : null;
  } catch {
    return null;
  }
}
