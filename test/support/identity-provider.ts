import { jest } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';

export const CLIENT = { id: 'verbatim', secret: 'a secret of the client' };

/** An OpenID Connect provider on this machine, at which everybody signs in at once as `person`. */
export class IdentityProvider {
  /** Who signs in next, and their claims. */
  person: { readonly sub: string; readonly [claim: string]: unknown } = { sub: 'ann' };

  private constructor(
    readonly issuer: string,
    private readonly server: Server,
  ) {}

  static async start(redirectUri: string): Promise<IdentityProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const own = new IdentityProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    for (const level of ['warn', 'info'] as const) jest.spyOn(console, level).mockImplementation(() => {}); // the package's advice for production
    const { default: Provider } = await import('oidc-provider');
    const provider = new Provider(own.issuer, {
      clients: [
        { client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri], response_types: ['code'], grant_types: ['authorization_code'] },
      ],
      jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'k1' }] },
      cookies: { keys: ['a key of the cookies'] },
      claims: { openid: ['sub', 'tenant', 'role', 'groups'] },
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => true },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: async (_, id) => ({ accountId: id, claims: async () => ({ ...own.person, sub: id }) }),
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
    });
    const answer = provider.callback();
    server.on('request', (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return answer(request, response);
      provider.interactionFinished(request, response, { login: { accountId: own.person.sub } }).catch((error: unknown) => response.destroy(error as Error));
    });
    return own;
  }

  /** Follows the redirects within the provider, as a browser would; returns the address of the last one, which leads out of it. */
  async follow(address: string): Promise<string> {
    const cookies = new Map<string, string>();
    let next = address;
    while (next.startsWith(this.issuer)) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(next, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`the identity provider answered ${response.status}: ${await response.text()}`);
      next = new URL(location, next).href;
    }
    return next;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => void this.server.close(() => resolve()));
  }
}
