import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

/** An OpenID Connect provider whose id tokens say whatever a test wants, signed with the newest of its keys. It asks nobody to sign in. */
export class ScriptedIssuer {
  claims: JWTPayload = {};
  userInfo: object | null = null;
  #key: CryptoKey | null = null;
  #published: JWK | null = null;
  #keys = 0;
  #nonce = '';

  private constructor(private readonly server: Server) {}

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<ScriptedIssuer> {
    const server = createServer((request, response) => {
      own.#answer(new URL(request.url!, own.issuer)).then(
        (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
        (error: unknown) => response.destroy(error as Error),
      );
    });
    const own = new ScriptedIssuer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await own.rotate();
    return own;
  }

  /** Signs with a new key from now on, and publishes it alone. */
  async rotate(): Promise<void> {
    const pair = await generateKeyPair('RS256', { extractable: true });
    this.#keys += 1;
    this.#key = pair.privateKey;
    this.#published = { ...(await exportJWK(pair.publicKey)), kid: `k${this.#keys}`, alg: 'RS256', use: 'sig' };
  }

  /** What a browser would be sent back with from the address of the sign-in page. */
  answerTo(address: string): string {
    const { searchParams: asked } = new URL(address);
    this.#nonce = asked.get('nonce')!;
    return `${asked.get('redirect_uri')}?${new URLSearchParams({ code: 'a code', state: asked.get('state')!, iss: this.issuer })}`;
  }

  async #answer({ pathname }: URL): Promise<object> {
    if (pathname === '/keys') return { keys: [this.#published] };
    if (pathname === '/me') return this.userInfo ?? {};
    if (pathname === '/token') return { access_token: 'x', token_type: 'Bearer', id_token: await this.#idToken() };
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/keys`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
      ...(this.userInfo === null ? {} : { userinfo_endpoint: `${this.issuer}/me` }),
    };
  }

  #idToken(): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({ iss: this.issuer, aud: 'verbatim', iat: now, exp: now + 7_200, nonce: this.#nonce, ...this.claims })
      .setProtectedHeader({ alg: 'RS256', kid: `k${this.#keys}` })
      .sign(this.#key!);
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => void this.server.close(() => resolve()));
  }
}
