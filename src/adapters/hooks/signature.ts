import { createHmac } from 'node:crypto';

/**
 * Headers by which a receiver knows that a call is ours, is meant for this tenant, and is fresh: HMAC-SHA256, with the tenant's secret as the key, over the
 * time, a dot, and the body.
 */
export function signatureHeaders(secret: string, seconds: number, body: string): Readonly<Record<string, string>> {
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return { 'verbatim-hook-timestamp': String(seconds), 'verbatim-hook-signature': `sha256=${digest}` };
}
