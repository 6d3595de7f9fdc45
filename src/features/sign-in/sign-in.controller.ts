import { Body, Controller, Get, HttpCode, Inject, Logger, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Accounts, SignIns } from '../../ports/index.js';
import type { Principal } from '../../../packages/protocol/access/principal.js';
import { BrowserSignIns } from '../../http/access/browser-sign-ins.js';
import { Oidc } from '../../http/access/oidc.js';
import { RateLimits } from '../../http/access/rate-limits.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { me, meOf } from '../../http/schemas/account-schemas.js';
import { signInBody, signInMethods } from './sign-in-schemas.js';

const CODE_REJECTED = 'The code is not valid: it is unknown, used or expired. Create another link: verbatim sign-in-link.';

const TOKEN_REJECTED = 'The token is not valid: it is unknown, revoked, expired, longer than a cookie can be, or its signature or claims are not accepted.';

/** Signing a browser in by a cookie; for programs there are tokens. */
@ApiTags('sign-in')
@Controller('v1/sign-in')
export class SignInController {
  readonly #log = new Logger('Access');

  constructor(
    private readonly accounts: Accounts,
    private readonly signIns: SignIns,
    private readonly browsers: BrowserSignIns,
    private readonly limits: RateLimits,
    private readonly oidc: Oidc,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
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

  @Post()
  @HttpCode(200)
  @ApiRoute({
    operation: 'signIn',
    access: 'public',
    summary: 'Sign the browser in with the code of a one-time link, or with a token',
    description:
      'Sets a cookie that only pages of this origin can use, and that no script can read. A code is valid once. With a token the cookie is there until the browser is closed, and ends with the token. What the browser was signed in as before ends.',
    status: 200,
    response: me,
    problems: ['sign_in_rejected', 'forbidden', 'rate_limited', 'tenant_moving', 'unavailable'],
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
    return meOf(principal, await this.accounts.describe(principal), this.settings);
  }

  async #withCode(code: string, request: Request, response: Response): Promise<Principal | null> {
    const user = await this.signIns.redeemCode(code);
    if (user !== null) return this.browsers.begin(request, response, user, 'link', []);
    this.#log.warn({ msg: 'A sign-in code was rejected.', reason: 'it is unknown, used or expired, or the user is disabled' });
    return null;
  }
}
