import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose';
import { CLOCK_TOLERANCE_MS } from './claims.js';
import type { Settings } from '../../platform/config/env.js';

export type VerifierSettings = Pick<Settings, 'AUTH_JWKS_URL' | 'AUTH_JWT_SECRET' | 'AUTH_JWT_ISSUER' | 'AUTH_JWT_AUDIENCE' | 'AUTH_JWT_MAX_AGE_SECONDS'>;

export interface JwtVerifier {
  /** Rejects when signature, times, issuer or audience are not accepted. */
  readonly verify: Verify;
  /** Whether `verify` rejected because the keys of the issuer could not be fetched. */
  readonly keysUnavailable: (error: unknown) => boolean;
}

/** Asymmetric algorithms only: a public key must never be used as a shared secret. */
const PUBLIC_KEY_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

/** How long a set of keys is used before it is fetched again for a token that it does not verify, in milliseconds. */
const KEY_COOLDOWN_MS = 5_000;

/** Types of tokens that say who the caller is. Absent: the same. */
const TYPES: readonly string[] = ['jwt', 'at+jwt'];

type Verify = (token: string) => Promise<JWTPayload>;

/** For an issuer that is configured. */
export function jwtVerifier(settings: VerifierSettings): JwtVerifier {
  return { verify: verifier(settings), keysUnavailable };
}

function verifier(settings: VerifierSettings): Verify {
  const { AUTH_JWKS_URL: url, AUTH_JWT_SECRET: secret, AUTH_JWT_ISSUER: issuer, AUTH_JWT_AUDIENCE: audience } = settings;
  const checks: JWTVerifyOptions = {
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
    requiredClaims: ['exp', 'iat'],
    maxTokenAge: settings.AUTH_JWT_MAX_AGE_SECONDS,
    clockTolerance: CLOCK_TOLERANCE_MS / 1_000,
  };
  if (secret !== undefined) {
    const key = new TextEncoder().encode(secret);
    return async (token) => payloadOf(await jwtVerify(token, key, { ...checks, algorithms: ['HS256'] }));
  }
  return keySetVerifier(new URL(url!), { ...checks, algorithms: PUBLIC_KEY_ALGORITHMS });
}

/** What is signed for something else, such as a logout or a security event, has its own type. */
function payloadOf({ payload, protectedHeader: { typ } }: JWTVerifyResult): JWTPayload {
  if (typ !== undefined && !TYPES.includes(typ.toLowerCase().replace(/^application\//, ''))) throw new errors.JWTInvalid(`"typ" must be ${TYPES.join(' or ')}`);
  return payload;
}

/** An issuer may publish a new key under the id of an old one: a signature that does not verify is checked once more with keys fetched again. */
function keySetVerifier(url: URL, options: JWTVerifyOptions): Verify {
  const keys = createRemoteJWKSet(url, { cooldownDuration: KEY_COOLDOWN_MS });
  const verify = async (token: string): Promise<JWTPayload> => payloadOf(await jwtVerify(token, keys, options));
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

/** jose reports a faulty token by its own codes; these codes, and every other error, mean that the keys could not be fetched. */
function keysUnavailable(error: unknown): boolean {
  const code = error instanceof errors.JOSEError ? error.code : null;
  return code === null || code === 'ERR_JWKS_TIMEOUT' || code === 'ERR_JWKS_INVALID' || code === 'ERR_JOSE_GENERIC';
}
