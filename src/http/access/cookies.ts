import type { Request } from 'express';

/** The names of the cookies. `__Host-` makes a browser accept one only from this host itself, over https, for every path. */
const NAMES = { signIn: 'verbatim', oidc: 'verbatim-oidc' } as const;

type Name = keyof typeof NAMES;

export interface CookieTerms {
  /** Whether browsers reach the server over https. */
  readonly secure: boolean;
  /** `Lax` for what a redirect from another site has to bring back. */
  readonly sameSite: 'Strict' | 'Lax';
  /** Zero deletes it; null: it is there until the browser is closed. */
  readonly maxAgeSeconds: number | null;
}

/** The value of a cookie of the request; null without one. */
export function cookieOf(request: Pick<Request, 'headers'>, name: Name, secure: boolean): string | null {
  const wanted = fullName(name, secure);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === wanted) return pair.slice(at + 1).trim();
  }
  return null;
}

/** The value of Set-Cookie. `value` has characters of base64url and dots only. No script can read the cookie. */
export function setCookie(name: Name, value: string, { secure, sameSite, maxAgeSeconds }: CookieTerms): string {
  const age = maxAgeSeconds === null ? '' : `; Max-Age=${maxAgeSeconds}`;
  return `${fullName(name, secure)}=${value}; Path=/; HttpOnly; SameSite=${sameSite}${age}${secure ? '; Secure' : ''}`;
}

function fullName(name: Name, secure: boolean): string {
  return `${secure ? '__Host-' : ''}${NAMES[name]}`;
}
