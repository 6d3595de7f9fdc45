import { Inject, Injectable, Logger } from '@nestjs/common';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import { type Settings, SETTINGS } from '../../config/env.js';
import { DomainError } from '../../core/errors.js';
import { Accounts } from '../../core/ports.js';
import { type ClaimSettings, identityIn } from './claims.js';
import type { Principal } from '../../core/access/principal.js';

type SignedTokenSettings = Pick<Settings, 'AUTH_JWKS_URL' | 'AUTH_JWT_SECRET' | 'AUTH_JWT_ISSUER' | 'AUTH_JWT_AUDIENCE' | 'AUTH_JWT_MAX_AGE_SECONDS'> &
  ClaimSettings;

/** Asymmetric algorithms only: a public key must never be used as a shared secret. */
const PUBLIC_KEY_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

/** Tolerated difference between the clocks of issuer and server, in seconds. */
const CLOCK_TOLERANCE = 5;

/** How long a set of keys is used before it is fetched again for a token that it does not verify, in milliseconds. */
const KEY_COOLDOWN_MS = 5_000;

type Verify = (token: string) => Promise<JWTPayload>;

/**
 * JWTs of a trusted issuer. Required: `exp`, `iat` no older than AUTH_JWT_MAX_AGE_SECONDS, the configured issuer and audience, and the claims that name the user and
 * the tenant (claims.ts).
 */
@Injectable()
export class SignedTokens {
  readonly #log = new Logger('Access');
  readonly #verify: Verify | null;

  constructor(
    @Inject(SETTINGS) private readonly settings: SignedTokenSettings,
    private readonly accounts: Accounts,
  ) {
    this.#verify = verifier(settings);
  }

  /** Whether the token has the form of a JWT and an issuer is configured. */
  accepts(token: string): boolean {
    return this.#verify !== null && token.split('.').length === 3;
  }

  /** Null when the signature, the times or the claims are not accepted; the log states why. */
  async principal(token: string): Promise<Principal | null> {
    const payload = await this.#payload(token);
    if (payload === null) return null;
    const identity = identityIn(payload, this.settings);
    if (typeof identity === 'string') return this.#reject(identity);
    const { tenant, user, role, groups } = identity;
    const principal = await this.accounts.vouched(tenant, user, role, (reason) => this.#reject(reason));
    return principal && { ...principal, groups, expiresAt: new Date((payload.exp ?? 0) * 1000).toISOString() };
  }

  async #payload(token: string): Promise<JWTPayload | null> {
    if (!this.#verify) return null;
    try {
      return await this.#verify(token);
    } catch (error) {
      if (keysUnavailable(error)) throw new DomainError('unavailable', 'The keys of the token issuer are not available; try again.', [], { retryAfter: 5 });
      return this.#reject((error as Error).message);
    }
  }

  #reject(reason: string): null {
    this.#log.warn({ msg: 'A signed token was rejected.', reason });
    return null;
  }
}

function verifier(settings: SignedTokenSettings): Verify | null {
  const { AUTH_JWKS_URL: url, AUTH_JWT_SECRET: secret, AUTH_JWT_ISSUER: issuer, AUTH_JWT_AUDIENCE: audience } = settings;
  const checks: JWTVerifyOptions = {
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
    requiredClaims: ['exp', 'iat'],
    maxTokenAge: settings.AUTH_JWT_MAX_AGE_SECONDS,
    clockTolerance: CLOCK_TOLERANCE,
  };
  if (secret !== undefined) {
    const key = new TextEncoder().encode(secret);
    return async (token) => (await jwtVerify(token, key, { ...checks, algorithms: ['HS256'] })).payload;
  }
  return url === undefined ? null : keySetVerifier(new URL(url), { ...checks, algorithms: PUBLIC_KEY_ALGORITHMS });
}

/** An issuer may publish a new key under the id of an old one: a signature that does not verify is checked once more with keys fetched again. */
function keySetVerifier(url: URL, options: JWTVerifyOptions): Verify {
  const keys = createRemoteJWKSet(url, { cooldownDuration: KEY_COOLDOWN_MS });
  const verify = async (token: string): Promise<JWTPayload> => (await jwtVerify(token, keys, options)).payload;
  return async (token) => {
    try {
      return await verify(token);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed) || keys.coolingDown) throw error;
      await keys.reload();
      return verify(token);
    }
  };
}

/** jose reports a faulty token by codes of its own; these codes, and every other error, mean that the keys could not be fetched. */
function keysUnavailable(error: unknown): boolean {
  const code = error instanceof errors.JOSEError ? error.code : null;
  return code === null || code === 'ERR_JWKS_TIMEOUT' || code === 'ERR_JWKS_INVALID' || code === 'ERR_JOSE_GENERIC';
}
