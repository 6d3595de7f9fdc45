import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useClient } from '../app/account.tsx';
import { useKeys } from '../app/keyboard.ts';
import { Lazy } from '../app/lazy.tsx';
import { Link, navigate, useLocation } from '../app/router.tsx';
import { visible } from '../text/plain.tsx';
import { Icon } from '../ui/icon.tsx';
import { Badge, Empty, ErrorNote, Status } from '../ui/parts.tsx';
import { ConversationScreen } from './conversation/screen.tsx';
import { ConversationStore } from './conversation/store.ts';
import { SessionMenu } from './sessions/menu.tsx';

const RequestsScreen = Lazy(() => import('./request/requests.tsx').then((module) => module.RequestsScreen));
const RequestScreen = Lazy(() => import('./request/screen.tsx').then((module) => module.RequestScreen));
const BranchesScreen = Lazy(() => import('./branches/screen.tsx').then((module) => module.BranchesScreen));
const TimelineScreen = Lazy(() => import('./timeline/screen.tsx').then((module) => module.TimelineScreen));
const AuditScreen = Lazy(() => import('./audit/screen.tsx').then((module) => module.AuditScreen));

const TABS = [
  ['c', '', 'Conversation'],
  ['r', 'requests', 'Requests'],
  ['b', 'branches', 'Branches'],
  ['t', 'timeline', 'Timeline'],
  ['a', 'audit', 'Audit'],
] as const;

/** One session: its title and state, and the views of it. */
export function SessionFrame({ id }: { readonly id: string }) {
  const client = useClient();
  const { path } = useLocation();
  const store = useMemo(() => new ConversationStore(client, id), [client, id]);
  useEffect(() => store.start(), [store]);
  const snapshot = useSyncExternalStore(store.subscribe, store.snapshot);
  const [, , , view = '', part] = path.split('/');
  const at = (name: string): string => `/sessions/${id}${name === '' ? '' : `/${name}`}`;
  useKeys(Object.fromEntries(TABS.map(([key, name]) => [key, () => navigate(at(name))])));
  const { session, isLive, error } = snapshot;
  useEffect(() => {
    document.title = `${session?.title ?? 'Conversation'} · Verbatim`;
    return () => void (document.title = 'Verbatim');
  }, [session?.title]);

  if (error) {
    return (
      <div className="session">
        <ErrorNote error={error} />
        <Empty title="This conversation cannot be shown">
          <Link to="/">All conversations</Link>
        </Empty>
      </div>
    );
  }
  const version = session?.version ?? 0;
  return (
    <div className="session">
      <SessionHead snapshot={snapshot} />
      <nav className="tabs" aria-label="Views of the conversation">
        {TABS.map(([key, name, label]) => (
          <Link key={name} to={at(name)} aria-current={view === name ? 'page' : undefined} title={`Key ${key}`}>
            {label}
          </Link>
        ))}
      </nav>
      {session !== null && !isLive && (
        <p className="banner" role="status">
          Reconnecting: what happens now is shown as soon as the connection is back.
        </p>
      )}
      <div className="view">
        {view === '' && <ConversationScreen store={store} snapshot={snapshot} />}
        {view === 'requests' && (part === undefined ? <RequestsScreen id={id} version={version} /> : <RequestScreen key={part} id={id} requestId={part} />)}
        {view === 'branches' && <BranchesScreen id={id} version={version} />}
        {view === 'timeline' && <TimelineScreen id={id} version={version} />}
        {view === 'audit' && <AuditScreen id={id} version={version} />}
      </div>
    </div>
  );
}

function SessionHead({ snapshot: { session } }: { readonly snapshot: ReturnType<ConversationStore['snapshot']> }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="session-head">
      <Link to="/" className="round only-phone" aria-label="All conversations">
        <Icon name="back" />
      </Link>
      <h1>
        <bdi>{visible(session?.title ?? 'New conversation')}</bdi>
      </h1>
      {session && (
        <>
          {session.status !== 'idle' && <Status value={session.status} />}
          {session.held && <Badge tone="warn">legal hold</Badge>}
          {session.erased && <Badge tone="bad">erased</Badge>}
          <span className="aside not-phone">{session.model}</span>
          {session.forkedFrom && (
            <Link className="aside" to={`/sessions/${session.forkedFrom.sessionId}${session.forkedFrom.at ? `?message=${session.forkedFrom.at}` : ''}`}>
              forked from
            </Link>
          )}
          <button type="button" className="round" aria-label="Actions of this conversation" onClick={() => setOpen(true)}>
            <Icon name="more" />
          </button>
          {isOpen && <SessionMenu row={session} onClose={() => setOpen(false)} onChanged={() => {}} />}
        </>
      )}
    </div>
  );
}
