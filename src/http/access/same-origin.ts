import type { Request } from 'express';

/** Methods that change nothing. */
const SAFE = new Set(['GET', 'HEAD']);

/**
 * Whether a browser sent the request for a page of this very origin, or, for a safe method, because a person entered the address. A page of another origin cannot set
 * these headers. Sec-Fetch-Site is sent by every current browser over https and to localhost; Origin with every unsafe method.
 */
export function isSameOrigin({ method, headers }: Pick<Request, 'method' | 'headers'>, publicUrl: string | undefined): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && SAFE.has(method));
  const { origin, host } = headers;
  if (origin === undefined) return SAFE.has(method);
  return origin === (publicUrl ?? `http://${host}`);
}

/** Whether a page of another origin may have sent the request: for routes that take no cookie, which other clients than browsers call as well. */
export function isCrossOrigin(request: Pick<Request, 'method' | 'headers'>, publicUrl: string | undefined): boolean {
  const fromPage = request.headers['sec-fetch-site'] !== undefined || request.headers.origin !== undefined;
  return fromPage && !isSameOrigin(request, publicUrl);
}
