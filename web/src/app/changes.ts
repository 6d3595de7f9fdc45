import type { Client } from '@verbatim/client';

/** Milliseconds until the stream is opened again. */
const RETRY_MS = 5_000;

type Change = ReturnType<Client['changes']> extends AsyncIterable<infer One> ? One : never;
type Listener = (change: Change) => void;

/** What a stream says when it is complete up to now. */
const SYNCED = 'sessions.synced';

interface Stream {
  readonly listeners: Set<Listener>;
  /** The last time that it was complete; null: it is not now. */
  synced: Change | null;
  readonly end: () => void;
}

const streams = new WeakMap<Client, Stream>();

/**
 * Tells of changes of the conversations that the user may see. All listeners of the page share one stream: a browser opens only a few connections to a server.
 * Whoever listens is told `sessions.synced` when the stream is open, and each time that it is again: what changed before is to be read then.
 */
export function onSessionChanges(client: Client, listener: Listener): () => void {
  let stream = streams.get(client);
  if (stream === undefined) streams.set(client, (stream = opened(client)));
  const { listeners, synced, end } = stream;
  listeners.add(listener);
  if (synced !== null) queueMicrotask(() => listeners.has(listener) && listener(synced));
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    streams.delete(client);
    end();
  };
}

function opened(client: Client): Stream {
  const controller = new AbortController();
  const { signal } = controller;
  const stream: Stream = { listeners: new Set(), synced: null, end: () => controller.abort() };
  const read = async (): Promise<void> => {
    for await (const change of client.changes({ signal })) {
      if (change.type === SYNCED) stream.synced = change;
      stream.listeners.forEach((listener) => listener(change));
    }
  };
  void (async () => {
    while (!signal.aborted) {
      await read().catch(() => undefined);
      stream.synced = null;
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  })();
  return stream;
}
