import { type Client, createClient, paginate, ProblemError, type StoredSource, type TranscriptMessage } from '@verbatim/client';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { readerText } from '../../../../src/session/transcript/reader-text.ts';
import { useLoad } from '../../app/load.ts';
import { messagesWithText, plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Mark } from '../../ui/mark.tsx';
import { Button, Empty, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { Transcript, type TranscriptContext } from '../conversation/context.tsx';
import { transcriptOf } from '../conversation/items.ts';
import { TranscriptView } from '../conversation/transcript.tsx';

const PAGE = 500;

/** What a link shows to someone without an account: the conversation up to its message, with its files. */
export function SharedScreen() {
  const secret = useSyncExternalStore(
    (listener) => {
      window.addEventListener('hashchange', listener);
      return () => window.removeEventListener('hashchange', listener);
    },
    () => location.hash.slice(1),
  );
  useEffect(() => void (document.title = 'A shared conversation · Verbatim'), []);
  return (
    <div className="shell has-view shared">
      <header className="top">
        <span className="brand">
          <Mark /> Verbatim
        </span>
      </header>
      <main className="main session" id="main">
        {secret === '' ? <Dead>The address is not complete: a link ends with # and a secret. Copy all of it.</Dead> : <Shared key={secret} secret={secret} />}
      </main>
    </div>
  );
}

function Shared({ secret }: { readonly secret: string }) {
  const client = useMemo(() => createClient({ baseUrl: location.origin, token: secret }), [secret]);
  const { data, error, isLoading, reload } = useLoad(() => messagesOf(client), [client]);
  const transcript = useMemo(() => transcriptOf(data ?? []), [data]);
  const urlOf = useMemo(() => urlsOf(client), [client]);
  const context = useMemo<TranscriptContext>(() => contextOf(client, urlOf, transcript), [client, urlOf, transcript]);
  if (error instanceof ProblemError && (error.status === 401 || error.status === 404)) {
    return <Dead>It has expired, it was revoked, or its address is not complete. Ask the person who gave it to you for another one.</Dead>;
  }
  if (error instanceof ProblemError && error.status === 403) return <Dead>This is not the secret of a link.</Dead>;
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the conversation" shape="bubbles" />;
  const count = data.filter((message) => readerText(message as never) !== null).length;
  return (
    <Transcript value={context}>
      <div className="shared-head">
        <h1>A shared conversation</h1>
        <p className="aside">
          <span title={messagesWithText(count)}>{plural(count, 'message')}</span>
          {data[0] && (
            <>
              {' · begun '}
              <Time value={data[0].timestamp} />
            </>
          )}
          {' · shared with you, to read'}
        </p>
      </div>
      <div className="view">
        {data.length === 0 ? (
          <Empty title="Nothing was written in this conversation yet" />
        ) : (
          <TranscriptView items={transcript.items} draft={null} isRunning={false} isReadFromStart />
        )}
      </div>
      <p className="line shared-foot">
        <span className="aside grow">You see what the link shows, and cannot write.</span>
        <Button look="quiet" disabled={isLoading} onClick={reload}>
          Reload
        </Button>
      </p>
    </Transcript>
  );
}

function Dead({ children }: { readonly children: string }) {
  return (
    <Empty title="This link does not work" level={1}>
      <p>{children}</p>
    </Empty>
  );
}

async function messagesOf(client: Client): Promise<readonly TranscriptMessage[]> {
  const messages: TranscriptMessage[] = [];
  for await (const message of paginate<{ cursor?: number; limit?: number }, TranscriptMessage>((request) => client.readShared(request) as never, {
    limit: PAGE,
  })) {
    messages.push(message);
  }
  return messages;
}

const bytesOf = async (client: Client, { sha256 }: StoredSource): Promise<Blob> => ((await client.getSharedBlob({ sha256 })) as Response).blob();

/** Each file is read once; one that could not be read, again when it is asked for. */
function urlsOf(client: Client): TranscriptContext['urlOf'] {
  const urls = new Map<string, Promise<string>>();
  return (source: StoredSource): Promise<string> => {
    const { sha256 } = source;
    const known = urls.get(sha256);
    if (known) return known;
    const url = bytesOf(client, source).then((blob) => URL.createObjectURL(blob));
    urls.set(sha256, url);
    url.catch(() => urls.delete(sha256));
    return url;
  };
}

function contextOf(client: Client, urlOf: TranscriptContext['urlOf'], { results }: ReturnType<typeof transcriptOf>): TranscriptContext {
  return {
    id: '',
    conversation: null,
    turn: null,
    results,
    lastPrompt: null,
    failure: null,
    canWrite: false,
    // Users of the tenant are no business of those who have a link.
    nameOf: (_, stored) => (stored === undefined ? 'A person' : visible(stored)),
    urlOf,
    bytesOf: (source) => bytesOf(client, source),
    onEdit: () => {},
    versions: new Map(),
    changed: new Map(),
    durations: new Map(),
    onSwitch: () => {},
    switched: { current: null },
    onRewind: () => {},
    ratings: new Map(),
    onRate: () => {},
    onMenu: () => {},
    act: () => {},
  };
}
