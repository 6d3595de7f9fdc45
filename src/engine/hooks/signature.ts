import { createHmac } from 'node:crypto';

/**
 * Headers that let a receiver verify sender, tenant and freshness: HMAC-SHA256 over the Unix time in seconds, a dot and the body, with the tenant's secret as the
 * key.
 */
export function signatureHeaders(secret: string, seconds: number, body: string): Readonly<Record<string, string>> {
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return { 'verbatim-hook-timestamp': String(seconds), 'verbatim-hook-signature': `sha256=${digest}` };
}
