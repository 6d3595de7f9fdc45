import { Body, Controller, Delete, Get, HttpCode, Logger, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Accounts, LiveBus, SignIns } from '../../ports/index.js';
import type { AuthorizedCaller, Principal } from '../../../packages/protocol/access/principal.js';
import { BrowserSignIns } from '../../http/access/browser-sign-ins.js';
import { Caller } from '../../http/access/caller.js';
import { Oidc } from '../../http/access/oidc.js';
import { RateLimits } from '../../http/access/rate-limits.js';
import { announceRevocation } from '../../http/access/revocations.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { me, meOf } from '../../http/schemas/account-schemas.js';
import { noBody } from '../../http/schemas/session-schemas.js';
import { signInBody, signInMethods, signIns, signInsQuery } from './sign-in-schemas.js';

const CODE_REJECTED = 'The code is not valid: it is unknown, used or expired. Create another link: verbatim sign-in-link.';
const TOKEN_REJECTED = 'The token is not valid: it is unknown, revoked, expired, longer than a cookie can be, or its signature or claims are not accepted.';

/** Signing a browser in and out by a cookie; for programs there are tokens. */
@ApiTags('sign-in')
@Controller('v1')
export class SignInController {
  readonly #log = new Logger('Access');

  constructor(
    private readonly accounts: Accounts,
    private readonly signIns: SignIns,
    private readonly browsers: BrowserSignIns,
    private readonly limits: RateLimits,
    private readonly oidc: Oidc,
    private readonly live: LiveBus,
  ) {}

  @Get('sign-in')
  @ApiRoute({
    operation: 'getSignInMethods',
    access: 'public',
    summary: 'Get the ways to sign in',
    description: 'Which of password-free link and identity provider the deployment offers; for pages that let users sign in.',
    status: 200,
    response: signInMethods,
    problems: [],
  })
  methods() {
    return { methods: this.oidc.isConfigured ? ['link', 'oidc'] : ['link'] };
  }

  @Post('sign-in')
  @HttpCode(200)
  @ApiRoute({
    operation: 'signIn',
    access: 'public',
    summary: 'Sign the browser in with the code of a one-time link, or with a token',
    description:
      'Sets a cookie that only pages of this origin can use, and that no script can read. A code is valid once. With a token the cookie is there until the browser is closed, and ends with the token. What the browser was signed in as before ends.',
    status: 200,
    response: me,
    problems: ['sign_in_rejected', 'forbidden', 'rate_limited', 'unavailable'],
    body: true,
  })
  async signIn(@Req() request: Request, @Res({ passthrough: true }) response: Response, @Body({ schema: signInBody }) body: z.output<typeof signInBody>) {
    this.browsers.requireOwnPage(request);
    const { code = '', token } = body;
    const principal = await (token === undefined ? this.#withCode(code, request, response) : this.browsers.beginWith(token, request, response));
    if (principal === null) {
      await this.limits.countFailure(request.socket.remoteAddress ?? '');
      throw new DomainError('sign_in_rejected', token === undefined ? CODE_REJECTED : TOKEN_REJECTED);
    }
    response.setHeader('cache-control', 'no-store');
    return meOf(principal, await this.accounts.describe(principal));
  }

  async #withCode(code: string, request: Request, response: Response): Promise<Principal | null> {
    const user = await this.signIns.redeemCode(code);
    if (user !== null) return this.browsers.begin(request, response, user, 'link', []);
    this.#log.warn({ msg: 'A sign-in code was rejected.', reason: 'it is unknown, used or expired, or the user is disabled' });
    return null;
  }

  @Post('sign-out')
  @HttpCode(204)
  @ApiRoute({
    operation: 'signOut',
    access: 'public',
    summary: 'Sign the browser out',
    description: 'Ends the sign-in of the cookie, if there is one, and deletes the cookie.',
    status: 204,
    response: null,
    problems: ['forbidden', 'unavailable'],
    body: true,
  })
  async signOut(@Req() request: Request, @Res({ passthrough: true }) response: Response, @Body({ schema: noBody }) _: z.output<typeof noBody>): Promise<void> {
    this.browsers.requireOwnPage(request);
    const tenantId = await this.browsers.end(request, response);
    if (tenantId !== null) announceRevocation(this.live, tenantId);
  }

  @Get('sign-ins')
  @ApiRoute({
    operation: 'listSignIns',
    access: 'tenant.tokens',
    summary: 'List the browsers that are signed in: those of the tenant for an admin, your own for a member',
    description: 'With browser, time and last use.',
    status: 200,
    response: signIns,
    problems: ['invalid_input'],
  })
  async list(@Caller() caller: AuthorizedCaller, @Query({ schema: signInsQuery }) { userId, limit = 50, cursor }: z.output<typeof signInsQuery>) {
    const ofUser = caller.role === 'admin' ? (userId?.toLowerCase() ?? null) : caller.userId;
    const found = await this.signIns.list(caller.tenantId, ofUser, limit + 1, cursor?.toLowerCase() ?? null);
    const data = found.slice(0, limit).map((signIn) => ({ ...signIn, current: signIn.id === caller.signInId }));
    return { data, nextCursor: found.length > limit ? (data.at(-1)?.id ?? null) : null };
  }

  @Delete('sign-ins/:signInId')
  @HttpCode(204)
  @ApiRoute({
    operation: 'revokeSignIn',
    access: 'tenant.tokens',
    summary: 'Sign a browser out',
    description: 'Its streams end within a second.',
    status: 204,
    response: null,
    problems: ['not_found'],
  })
  async revoke(@Caller() caller: AuthorizedCaller, @PathId('signInId') signInId: string): Promise<void> {
    const ended = await this.signIns.end(caller.tenantId, caller.role === 'admin' ? null : caller.userId, signInId);
    if (!ended) throw new DomainError('not_found', 'No sign-in with this id exists, or it belongs to another user.');
    announceRevocation(this.live, caller.tenantId);
  }
}
