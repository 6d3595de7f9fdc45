import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type SignInMethod, SignIns } from '../../ports/index.js';
import type { Principal } from '../../../packages/protocol/access/principal.js';
import { BearerTokens } from './bearer-tokens.js';
import { cookieOf, setCookie } from './cookies.js';
import { isCrossOrigin, isSameOrigin } from './same-origin.js';

type BrowserSettings = Pick<Settings, 'PUBLIC_URL' | 'SIGN_IN_HOURS' | 'SIGN_IN_IDLE_HOURS'>;

const HOUR_MS = 3_600_000;

/** Longer names of browsers are cut. */
const USER_AGENT_CHARACTERS = 300;

/** Secrets of sign-ins begin with this. */
const SIGN_IN = 'vbs_';

/** What a cookie may contain, and every browser keeps. */
const COOKIE_VALUE = /^[\w.-]{1,3800}$/;

/** The cookie of a signed-in browser, which has the secret of a sign-in or a token: sets it, reads it, and accepts it only for requests of pages of this origin. */
@Injectable()
export class BrowserSignIns {
  readonly #log = new Logger('Access');

  constructor(
    private readonly signIns: SignIns,
    private readonly tokens: BearerTokens,
    @Inject(SETTINGS) private readonly settings: BrowserSettings,
  ) {}

  /** Whether the request has the cookie, valid or not. */
  isPresented(request: Request): boolean {
    return this.#secret(request) !== null;
  }

  /** Null when the cookie is not accepted, or there is none. Throws `forbidden` for a request that a page of another origin may have sent. */
  async principal(request: Request): Promise<Principal | null> {
    const secret = this.#secret(request);
    if (secret === null) return null;
    if (!isSameOrigin(request, this.settings.PUBLIC_URL)) {
      this.#log.warn({ msg: 'A cookie was rejected.', reason: 'the request does not come from a page of this origin' });
      throw new DomainError('forbidden', 'The cookie is accepted only from pages of this origin. Other programs send a token.');
    }
    if (!secret.startsWith(SIGN_IN)) return this.tokens.principal(secret);
    return this.signIns.principal(secret, this.settings.SIGN_IN_IDLE_HOURS * HOUR_MS, (reason) => this.#log.warn({ msg: 'A cookie was rejected.', reason }));
  }

  /** Throws `forbidden` when a page of another origin may have sent the request, which would sign its visitor in or out. */
  requireOwnPage(request: Request): void {
    if (isCrossOrigin(request, this.settings.PUBLIC_URL)) throw new DomainError('forbidden', 'Only pages of this origin may sign in or out.');
  }

  /** Signs the browser in. What it was signed in as before ends. */
  async begin(request: Request, response: Response, user: Pick<Principal, 'tenantId' | 'userId'>, method: SignInMethod, groups: readonly string[]) {
    await this.#end(request);
    const lifetimeMs = this.settings.SIGN_IN_HOURS * HOUR_MS;
    const userAgent = request.headers['user-agent']?.slice(0, USER_AGENT_CHARACTERS) ?? null;
    const { secret, principal } = await this.signIns.begin(user, { method, groups, userAgent, lifetimeMs });
    this.#setCookie(response, secret, lifetimeMs / 1_000);
    this.#log.log({ msg: 'signed in', method, userId: principal.userId, tenantId: principal.tenantId, signInId: principal.signInId });
    return principal;
  }

  /**
   * Signs the browser in with a token, which only its cookie then has: what the token may do, when it ends and who revokes it stay the same. Null when the token is not
   * accepted.
   */
  async beginWith(token: string, request: Request, response: Response): Promise<Principal | null> {
    if (!COOKIE_VALUE.test(token) || token.startsWith(SIGN_IN)) return null;
    const principal = await this.tokens.principal(token);
    if (principal === null) return null;
    await this.#end(request);
    this.#setCookie(response, token, null);
    this.#log.log({ msg: 'signed in', method: 'token', userId: principal.userId, tenantId: principal.tenantId });
    return principal;
  }

  /** Signs the browser out. Returns the tenant in which it was signed in; null: none. */
  async end(request: Request, response: Response): Promise<string | null> {
    const tenantId = await this.#end(request);
    this.#setCookie(response, '', 0);
    return tenantId;
  }

  /** Lets the browser keep `text` while a person is at the identity provider. The redirect back comes from another site: SameSite=Lax. */
  keepAttempt(response: Response, text: string, maxAgeSeconds: number): void {
    const value = Buffer.from(text).toString('base64url');
    response.appendHeader('set-cookie', setCookie('oidc', value, { secure: this.#secure, sameSite: 'Lax', maxAgeSeconds }));
  }

  /** What the browser kept, once; null without. */
  takeAttempt(request: Request, response: Response): string | null {
    const value = cookieOf(request, 'oidc', this.#secure);
    response.appendHeader('set-cookie', setCookie('oidc', '', { secure: this.#secure, sameSite: 'Lax', maxAgeSeconds: 0 }));
    return value === null ? null : Buffer.from(value, 'base64url').toString();
  }

  #end(request: Request): Promise<string | null> {
    const secret = this.#secret(request);
    return secret === null ? Promise.resolve(null) : this.signIns.endOf(secret);
  }

  #setCookie(response: Response, value: string, maxAgeSeconds: number | null): void {
    response.appendHeader('set-cookie', setCookie('signIn', value, { secure: this.#secure, sameSite: 'Strict', maxAgeSeconds }));
  }

  #secret(request: Request): string | null {
    return cookieOf(request, 'signIn', this.#secure);
  }

  get #secure(): boolean {
    return this.settings.PUBLIC_URL?.startsWith('https:') ?? false;
  }
}
