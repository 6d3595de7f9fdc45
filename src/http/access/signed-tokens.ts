import { Inject, Injectable, Logger } from '@nestjs/common';
import type { JWTPayload } from 'jose';
import { SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Accounts } from '../../ports/index.js';
import { type ClaimSettings, identityIn } from './claims.js';
import type { JwtVerifier, VerifierSettings } from './jwt-verifier.js';
import type { Principal } from '../../../packages/protocol/access/principal.js';

type SignedTokenSettings = VerifierSettings & ClaimSettings;

/**
 * JWTs of a trusted issuer. Required: `exp`, `iat` no older than AUTH_JWT_MAX_AGE_SECONDS, the configured issuer and audience, and the claims that name the user and
 * the tenant (claims.ts).
 */
@Injectable()
export class SignedTokens {
  readonly #log = new Logger('Access');
  #verifier: Promise<JwtVerifier> | null = null;

  constructor(
    @Inject(SETTINGS) private readonly settings: SignedTokenSettings,
    private readonly accounts: Accounts,
  ) {}

  /** Whether the token has the form of a JWT and an issuer is configured. */
  accepts(token: string): boolean {
    const { AUTH_JWT_SECRET: secret, AUTH_JWKS_URL: url } = this.settings;
    return (secret !== undefined || url !== undefined) && token.split('.').length === 3;
  }

  /** Null when the signature, the times or the claims are not accepted; the log states why. */
  async principal(token: string): Promise<Principal | null> {
    const payload = await this.#payload(token);
    if (payload === null) return null;
    const identity = identityIn(payload, this.settings);
    if (typeof identity === 'string') return this.#reject(identity);
    const principal = await this.accounts.vouched(identity, (reason) => this.#reject(reason));
    return principal && { ...principal, groups: identity.groups, expiresAt: new Date((payload.exp ?? 0) * 1000).toISOString() };
  }

  async #payload(token: string): Promise<JWTPayload | null> {
    const { verify, keysUnavailable } = await this.#loaded();
    try {
      return await verify(token);
    } catch (error) {
      if (keysUnavailable(error)) throw new DomainError('unavailable', 'The keys of the token issuer are not available; try again.', [], { retryAfter: 5 });
      return this.#reject((error as Error).message);
    }
  }

  /** Loaded with the first signed token: a start without an issuer does not need it. One for all tokens, since it keeps the keys of the issuer. */
  #loaded(): Promise<JwtVerifier> {
    return (this.#verifier ??= import('./jwt-verifier.js').then(({ jwtVerifier }) => jwtVerifier(this.settings)));
  }

  #reject(reason: string): null {
    this.#log.warn({ msg: 'A signed token was rejected.', reason });
    return null;
  }
}
