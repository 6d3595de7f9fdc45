import { Injectable, Logger } from '@nestjs/common';
import type { Principal } from '../../../packages/protocol/access/principal.js';
import { Accounts } from '../../ports/index.js';
import { SignedTokens } from './signed-tokens.js';

/** Whom a token is of: one that the server made, or a signed one. */
@Injectable()
export class BearerTokens {
  readonly #log = new Logger('Access');

  constructor(
    private readonly accounts: Accounts,
    private readonly signed: SignedTokens,
  ) {}

  /** Null when the token is not accepted; the log states the reason. */
  async principal(token: string): Promise<Principal | null> {
    if (this.signed.accepts(token)) return this.signed.principal(token);
    return this.accounts.principal(token, (reason) => this.#log.warn({ msg: 'A token was rejected.', reason }));
  }
}
