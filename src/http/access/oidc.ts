import { Inject, Injectable, Logger } from '@nestjs/common';
import type * as openid from 'openid-client';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { type ClaimedIdentity, type ClaimSettings, identityIn } from './claims.js';

type OidcSettings = Pick<Settings, 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OIDC_SCOPES' | 'OIDC_TENANT' | 'OIDC_TIMEOUT_MS' | 'PUBLIC_URL'> &
  ClaimSettings;

/** Path to which the identity provider sends browsers back. */
export const CALLBACK = '/v1/sign-in/oidc/callback';

/** What the browser keeps while a person is at the identity provider; only it can complete the sign-in that it began. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The page to show afterwards. */
  readonly returnTo: string;
}

export type Failure = 'rejected' | 'unavailable';

/** The description of the identity provider is read again after this long, in milliseconds. */
const DISCOVERY_MS = 3_600_000;

interface Provider {
  readonly client: typeof openid;
  /** Each one fetches the keys of the provider when it needs them, and keeps them: a sign-in has its own, so that keys may change at any time. */
  readonly configuration: () => openid.Configuration;
}

/** Sign-in at an OpenID Connect provider: the code flow with PKCE, state and nonce. The client library is loaded at the first use. */
@Injectable()
export class Oidc {
  readonly #log = new Logger('Access');
  #provider: { readonly at: number; readonly found: Promise<Provider> } | null = null;

  constructor(@Inject(SETTINGS) private readonly settings: OidcSettings) {}

  get isConfigured(): boolean {
    return this.settings.OIDC_ISSUER !== undefined;
  }

  /** Where to send the browser, and what it has to keep until it comes back; null: the provider does not respond. */
  async begin(returnTo: string): Promise<{ readonly url: string; readonly attempt: Attempt } | null> {
    const provider = await this.#found();
    if (provider === null) return null;
    const { client } = provider;
    const attempt = { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier(), returnTo };
    const url = client.buildAuthorizationUrl(provider.configuration(), {
      redirect_uri: `${this.settings.PUBLIC_URL}${CALLBACK}`,
      scope: this.settings.OIDC_SCOPES,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, attempt };
  }

  /** The identity of the person who comes back with these parameters, or what was wrong: the log states why. */
  async complete(query: string, { state, nonce, verifier }: Attempt): Promise<ClaimedIdentity | Failure> {
    const provider = await this.#found();
    if (provider === null) return 'unavailable';
    const { client } = provider;
    const configuration = provider.configuration();
    try {
      const tokens = await client.authorizationCodeGrant(configuration, new URL(`${this.settings.PUBLIC_URL}${CALLBACK}${query}`), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) return this.#reject('the response has no id token');
      const more =
        configuration.serverMetadata().userinfo_endpoint === undefined ? {} : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      const identity = identityIn({ ...withoutForeignProof(more, claims), ...claims }, this.settings, this.settings.OIDC_TENANT ?? null);
      return typeof identity === 'string' ? this.#reject(identity) : identity;
    } catch (error) {
      return isOutage(error) ? this.#report(error) : this.#reject(reasonOf(error as Error));
    }
  }

  /** The provider as it describes itself; null: it does not respond as one. */
  async #found(): Promise<Provider | null> {
    if (this.#provider === null || performance.now() - this.#provider.at > DISCOVERY_MS) this.#provider = { at: performance.now(), found: this.#discover() };
    const asked = this.#provider;
    try {
      return await asked.found;
    } catch (error) {
      if (this.#provider === asked) this.#provider = null; // the next sign-in asks again
      this.#report(error);
      return null;
    }
  }

  async #discover(): Promise<Provider> {
    const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET: secret, OIDC_TIMEOUT_MS } = this.settings;
    const client = await import('openid-client');
    const issuer = new URL(OIDC_ISSUER!);
    const insecure = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []; // the settings admit it on this machine only
    const timeout = OIDC_TIMEOUT_MS / 1_000;
    const found = await client.discovery(issuer, OIDC_CLIENT_ID!, secret, undefined, { execute: insecure, timeout });
    const server = found.serverMetadata();
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authentication =
      secret === undefined ? client.None() : methods.includes('client_secret_basic') ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
    const configuration = (): openid.Configuration => {
      const own = new client.Configuration(server, OIDC_CLIENT_ID!, secret, authentication);
      for (const prepare of [...insecure, client.enableNonRepudiationChecks]) prepare(own);
      own.timeout = timeout;
      return own;
    };
    return { client, configuration };
  }

  rejected(reason: string): void {
    this.#log.warn({ msg: 'A sign-in at the identity provider was rejected.', reason });
  }

  #reject(reason: string): Failure {
    this.rejected(reason);
    return 'rejected';
  }

  #report(error: unknown): Failure {
    this.#log.warn({ msg: 'The identity provider does not respond as expected.', reason: reasonOf(error as Error) });
    return 'unavailable';
  }
}

/** Without the verification of another address than the one that counts. */
function withoutForeignProof(more: object, claims: object): object {
  return 'email' in claims ? { ...more, email_verified: false } : more;
}

/** A provider that cannot be reached, is silent, or fails; every other error is of the sign-in. */
function isOutage(error: unknown): boolean {
  if (error instanceof TypeError) return true; // of fetch
  const { code, cause } = error as { readonly code?: string; readonly cause?: unknown };
  return code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT' || (cause instanceof Response && cause.status >= 500);
}

/** Without the response itself, which has personal data. */
function reasonOf(error: Error & { readonly code?: string; readonly error?: string; readonly error_description?: string | undefined }): string {
  return [error.message, error.code, error.error, error.error_description].filter((part) => part !== undefined && part !== '').join('; ');
}
