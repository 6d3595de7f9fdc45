import type { SessionsChange, StreamedEvent } from './api.js';
import { type ChangeOptions, streamChanges } from './changes.js';
import { type EventOptions, streamEvents } from './events.js';
import { type Operations, operationsOn } from './operations.js';
import { type ClientOptions, Transport } from './transport.js';

export interface Client extends Operations {
  /** The events of a session, as they happen; see `streamEvents`. */
  readonly events: (options: EventOptions) => AsyncGenerator<StreamedEvent, void, void>;
  /** The changes of all sessions of the user; see `streamChanges`. */
  readonly changes: (options?: ChangeOptions) => AsyncGenerator<SessionsChange, void, void>;
}

/** A client of the server at `options.baseUrl`: one method per operation of the API, and its event streams. */
export function createClient(options: ClientOptions): Client {
  const transport = new Transport(options);
  return {
    ...operationsOn(transport),
    events: (stream) => streamEvents(transport, stream),
    changes: (stream) => streamChanges(transport, stream),
  };
}

interface Page<Item> {
  readonly data: readonly Item[];
  readonly nextCursor: string | null;
}

/** The items of all pages of a list: `paginate(client.listSessions, { limit: 200 })`. */
export async function* paginate<Request extends { readonly cursor?: string | number }, Item>(
  list: (request: Request) => Promise<Page<Item>>,
  request: Request,
): AsyncGenerator<Item, void, void> {
  for (let cursor: string | null = null; ;) {
    const { data, nextCursor }: Page<Item> = await list(cursor === null ? request : { ...request, cursor });
    yield* data;
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}
