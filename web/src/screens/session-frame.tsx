import { type ComponentType, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { useAccount } from '../app/account.tsx';
import { useCommands } from '../app/commands.ts';
import { Lazy } from '../app/lazy.tsx';
import { Link, navigate, useLocation } from '../app/router.tsx';
import { shortId } from '../app/words.ts';
import { Icon } from '../ui/icon.tsx';
import { useCurrentInView } from '../ui/use-current-in-view.ts';
import { NoAccess } from './no-access.tsx';
import { EmergencyAccess } from './emergency-access.tsx';
import { ConversationScreen } from './conversation/screen.tsx';
import { textOf } from './conversation/items.ts';
import { ConversationStore, type Snapshot } from './conversation/store.ts';
import { SessionHead } from './session-head.tsx';
import { useTitleInList } from './sessions/titles.ts';

const RequestsScreen = Lazy(() => import('./request/requests.tsx').then((module) => module.RequestsScreen));
const RequestScreen = Lazy(() => import('./request/screen.tsx').then((module) => module.RequestScreen));
const BranchesScreen = Lazy(() => import('./branches/screen.tsx').then((module) => module.BranchesScreen));
const FilesScreen = Lazy(() => import('./files/screen.tsx').then((module) => module.FilesScreen));
const TimelineScreen = Lazy(() => import('./timeline/screen.tsx').then((module) => module.TimelineScreen));
const AuditScreen = Lazy(() => import('./audit/screen.tsx').then((module) => module.AuditScreen));

interface Tab {
  readonly key: string;
  /** Its path below that of the session. */
  readonly name: string;
  readonly label: string;
  /** Absent: the conversation itself. */
  readonly Screen?: ComponentType<{ readonly id: string; readonly version: number }>;
  /** An auditor may read it, too. */
  readonly isStructure?: true;
}

const CONVERSATION: Tab = { key: 'c', name: '', label: 'Conversation' };
/** `test/console/support/views.ts` reads the names. */
const TABS: readonly Tab[] = [
  CONVERSATION,
  { key: 'r', name: 'requests', label: 'Requests', Screen: RequestsScreen, isStructure: true },
  { key: 'b', name: 'branches', label: 'Branches', Screen: BranchesScreen },
  { key: 'f', name: 'files', label: 'Files', Screen: FilesScreen },
  { key: 't', name: 'timeline', label: 'Timeline', Screen: TimelineScreen },
  { key: 'a', name: 'audit', label: 'Audit', Screen: AuditScreen, isStructure: true },
];

/** One session: its title and state, and the views of it. */
export function SessionFrame({ id }: { readonly id: string }) {
  const { client, me } = useAccount();
  const { path } = useLocation();
  const store = useMemo(() => new ConversationStore(client, id), [client, id]);
  useEffect(() => store.start(), [store]);
  const snapshot = useSyncExternalStore(store.subscribe, store.snapshot);
  const [, , , view = '', part] = path.split('/');
  const at = (name: string): string => `/sessions/${id}${name === '' ? '' : `/${name}`}`;
  useCommands(
    'Go to',
    TABS.map(({ key, name, label }) => ({ label: `This conversation: ${label}`, key, run: () => navigate(at(name)) })),
  );
  const { session, isLive, error } = snapshot;
  // Before its stream is open for the first time it is loading, not reconnecting.
  const wasLive = useRef(false);
  if (isLive) wasLive.current = true;
  const listed = useTitleInList(id);
  const title = session?.title ?? beginningOf(snapshot) ?? listed;
  useEffect(() => {
    document.title = title === null ? 'Verbatim' : `${title} · Verbatim`;
    return () => void (document.title = 'Verbatim');
  }, [title]);

  const version = session?.version ?? 0;
  if (error) {
    // An auditor of the tenant may read the structure of every conversation, without content.
    const tabs = me.role === 'auditor' ? TABS.filter(({ isStructure }) => isStructure) : [];
    const Structure = part === undefined ? tabs.find(({ name }) => name === view)?.Screen : undefined;
    return (
      <div className="session">
        <div className="session-head">
          <Link to="/" className="round only-phone" aria-label="All conversations">
            <Icon name="back" />
          </Link>
          <h1>Conversation {shortId(id)}</h1>
        </div>
        {tabs.length > 0 && <Tabs tabs={[CONVERSATION, ...tabs]} view={view} at={at} />}
        <div className="view">{Structure ? <Structure id={id} version={version} /> : <NoAccess id={id} error={error} onOpened={store.start} />}</div>
      </div>
    );
  }
  const Screen = TABS.find(({ name }) => name === view)?.Screen;
  return (
    <div className="session">
      <SessionHead snapshot={snapshot} title={title} />
      <Tabs tabs={TABS} view={view} at={at} />
      {session?.userId === me.userId && <EmergencyAccess id={id} count={snapshot.emergencies} />}
      {wasLive.current && !isLive && (
        <p className="banner" role="status">
          Reconnecting: what happens now is shown as soon as the connection is back.
        </p>
      )}
      <div className="view">
        {view === '' && <ConversationScreen store={store} snapshot={snapshot} />}
        {view === 'requests' && part !== undefined ? <RequestScreen key={part} id={id} requestId={part} /> : Screen && <Screen id={id} version={version} />}
      </div>
    </div>
  );
}

interface TabsProps {
  readonly tabs: readonly Tab[];
  readonly view: string;
  readonly at: (name: string) => string;
}

function Tabs({ tabs, view, at }: TabsProps) {
  const row = useCurrentInView<HTMLElement>(view);
  return (
    <nav className="tabs" aria-label="Views of the conversation" ref={row}>
      {tabs.map(({ key, name, label }) => (
        <Link key={name} to={at(name)} aria-current={view === name ? 'page' : undefined} title={`Key ${key}`}>
          {label}
        </Link>
      ))}
    </nav>
  );
}

/**
 * A conversation without a title is named by its first prompt, as in the list; while the beginning of a long one is not read yet, by the first that is. Null: not
 * known yet.
 */
function beginningOf({ session, messages }: Snapshot): string | null {
  const first = messages.find(({ type, by }) => type === 'user' && by?.kind === 'user');
  if (first !== undefined) return textOf(first).trim().slice(0, 120) || 'New conversation';
  return session?.head === null ? 'New conversation' : null;
}
