import type { Request, SentRequest } from './align.ts';

export async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What was sent is the JSON of the payload, and the digest is that of its bytes. */
export const bodyOf = ({ payload }: Pick<Request, 'payload'>): string => JSON.stringify(payload);

/** The request as a command of a POSIX shell. The key is taken from the environment. */
export function curlOf(request: Pick<SentRequest, 'payload' | 'betas'>): string {
  const body = bodyOf(request).replaceAll("'", String.raw`'\''`);
  const headers = [`x-api-key: $ANTHROPIC_API_KEY`, 'anthropic-version: 2023-06-01', 'content-type: application/json'];
  if (request.betas.length > 0) headers.push(`anthropic-beta: ${request.betas.join(',')}`);
  return [`curl -sS https://api.anthropic.com/v1/messages`, ...headers.map((header) => `  -H "${header}"`), `  --data-binary '${body}'`].join(' \\\n');
}
