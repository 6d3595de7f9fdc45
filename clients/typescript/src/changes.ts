import type { SessionsChange } from './api.js';
import { follow, type StreamOptions } from './event-source.js';
import type { Transport } from './transport.js';

export interface ChangeOptions extends StreamOptions {
  /** Id of the last event received: begin with what has changed since; otherwise with the next change. */
  readonly after?: string;
}

/** The changes of all sessions of the user: the current row of the session list of each session that has changed, each version at most once. */
export function streamChanges(transport: Transport, { after, ...options }: ChangeOptions = {}): AsyncGenerator<SessionsChange, void, void> {
  const versions = new Map<string, number>();
  return follow(transport, '/v1/events/stream', options, after ?? null, ({ event, data }) => {
    const change = { type: event, data: JSON.parse(data) as unknown } as SessionsChange;
    if (change.type !== 'session.changed') return change;
    // After a reconnection the last ones are repeated.
    if ((versions.get(change.data.id) ?? 0) >= change.data.version) return null;
    versions.set(change.data.id, change.data.version);
    return change;
  });
}
