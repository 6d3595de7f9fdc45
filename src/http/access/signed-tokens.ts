import { Inject, Injectable } from '@nestjs/common';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { type Settings, SETTINGS } from '../../config/env.js';
import { DomainError } from '../../core/errors.js';
import { Accounts } from '../../core/ports.js';
import type { Principal } from '../../core/session/principal.js';

type SignedTokenSettings = Pick<Settings, 'AUTH_JWKS_URL' | 'AUTH_JWT_SECRET' | 'AUTH_JWT_ISSUER' | 'AUTH_JWT_AUDIENCE'>;

/** Asymmetric only: a public key must never be taken for a shared secret. */
const PUBLIC_KEY_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

/** Identities signed by a trusted issuer (JWT). Claims: `sub` the user, `tenant` the tenant, `role` admin or member (the default). */
@Injectable()
export class SignedTokens {
  readonly #verify: ((token: string) => Promise<JWTPayload>) | null;

  constructor(
    @Inject(SETTINGS) settings: SignedTokenSettings,
    private readonly accounts: Accounts,
  ) {
    this.#verify = verifier(settings);
  }

  /** Whether this looks like a signed token and somebody is trusted to sign. */
  accepts(token: string): boolean {
    return this.#verify !== null && token.split('.').length === 3;
  }

  /** Null when the signature, the times or the claims are not in order. */
  async principal(token: string): Promise<Principal | null> {
    const payload = await this.#payload(token);
    if (payload === null) return null;
    const { sub, tenant, role = 'member' } = payload;
    if (!isName(sub) || !isName(tenant) || (role !== 'admin' && role !== 'member')) return null;
    return this.accounts.vouched(tenant, sub, role);
  }

  async #payload(token: string): Promise<JWTPayload | null> {
    if (!this.#verify) return null;
    try {
      return await this.#verify(token);
    } catch (error) {
      if (isKeySourceAway(error))
        throw new DomainError('unavailable', 'The keys of the token issuer cannot be read at the moment; try again.', [], { retryAfter: 5 });
      return null;
    }
  }
}

function verifier(settings: SignedTokenSettings): ((token: string) => Promise<JWTPayload>) | null {
  const { AUTH_JWKS_URL: url, AUTH_JWT_SECRET: secret, AUTH_JWT_ISSUER: issuer, AUTH_JWT_AUDIENCE: audience } = settings;
  const checks: JWTVerifyOptions = { ...(issuer === undefined ? {} : { issuer }), ...(audience === undefined ? {} : { audience }), clockTolerance: 5 };
  if (secret !== undefined) {
    const key = new TextEncoder().encode(secret);
    return async (token) => (await jwtVerify(token, key, { ...checks, algorithms: ['HS256'] })).payload;
  }
  if (url === undefined) return null;
  const keys: JWTVerifyGetKey = createRemoteJWKSet(new URL(url));
  return async (token) => (await jwtVerify(token, keys, { ...checks, algorithms: PUBLIC_KEY_ALGORITHMS })).payload;
}

/** Errors about the token itself are jose's own; of those only these say that the keys could not be had. */
function isKeySourceAway(error: unknown): boolean {
  const about = error instanceof errors.JOSEError ? error.code : null;
  return about === null || about === 'ERR_JWKS_TIMEOUT' || about === 'ERR_JWKS_INVALID' || about === 'ERR_JOSE_GENERIC';
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= 255;
}
