import { API_VERSIONS, checkRequest } from '../../packages/normalizer/api-rules/index.js';
import { profileFor } from '../../packages/normalizer/models/profiles.js';
import type { Received } from '../support/stand-in-server.js';

/** What the rules of the model API say against requests of stock clients, which it accepts: nothing, or the rules do not know what it accepts. */
export function judged(received: readonly Received[]): readonly string[] {
  return received.flatMap(({ headers, body }) => {
    const request: unknown = body === '' ? null : JSON.parse(body);
    if (typeof request !== 'object' || request === null || !('messages' in request) || !('model' in request)) return [];
    const betas = String(headers['anthropic-beta'] ?? '')
      .split(',')
      .map((beta) => beta.trim())
      .filter((beta) => beta !== '');
    const apiVersion = API_VERSIONS.find((version) => version === headers['anthropic-version']);
    return checkRequest(request, profileFor(String(request.model)), { betas, ...(apiVersion ? { apiVersion } : {}) }).map(
      ({ rule, at, text }) => `${rule} at ${at}: ${String(text)}`,
    );
  });
}
