import type { IncomingHttpHeaders } from 'node:http';
import type { SentThread } from './sent-conversation.js';

/** The beta of message threads, which are kept here: the model API gets requests without them. */
const THREADS = /^message-threads-/;

const BETA = /^[ -~]{1,200}$/;

/** The betas that a request goes out with. */
export const betasIn = (headers: IncomingHttpHeaders, thread: SentThread | null): readonly string[] =>
  named(String(headers['anthropic-beta'] ?? '')).filter((name) => BETA.test(name) && !(thread && THREADS.test(name)));

/** The headers without the beta of message threads. `rawHeaders`: names and values in turn. */
export function withoutThreadsBeta(rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.flatMap((name, at) => {
    if (at % 2 === 1) return [];
    const value = rawHeaders[at + 1]!;
    if (name.toLowerCase() !== 'anthropic-beta' || !named(value).some((beta) => THREADS.test(beta))) return [name, value];
    const left = named(value).filter((beta) => !THREADS.test(beta));
    return left.length === 0 ? [] : [name, left.join(',')];
  });
}

const named = (header: string): readonly string[] => header.split(',').map((name) => name.trim());
