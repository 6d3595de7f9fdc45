import { useState, useSyncExternalStore } from 'react';
import { SessionFrame } from '../screens/session-frame.tsx';
import { SessionList } from '../screens/sessions/list.tsx';
import { useNewSession } from '../screens/sessions/new-session.ts';
import { SignInScreen } from '../screens/sign-in.tsx';
import { AccountProvider, reachability, useAccount } from './account.tsx';
import { useCommands } from './commands.ts';
import { Empty } from '../ui/parts.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { useNoStrayDrops } from './file-drop.ts';
import { Help } from './help.tsx';
import { Lazy } from './lazy.tsx';
import { usePalette } from './palette/open.tsx';
import { Link, navigate, useLocation } from './router.tsx';
import { TopBar } from './top-bar.tsx';
import { LeaveDialog } from './unsaved.tsx';
import { mayBegin, Welcome } from './welcome.tsx';

const TenantScreen = Lazy(() => import('../screens/tenant/screen.tsx').then((module) => module.TenantScreen));

const TryScreen = Lazy(() => import('../screens/try/screen.tsx').then((module) => module.TryScreen));

const ImportScreen = Lazy(() => import('../screens/import/screen.tsx').then((module) => module.ImportScreen));

const SharedScreen = Lazy(() => import('../screens/shared/screen.tsx').then((module) => module.SharedScreen));

export function App() {
  const { path } = useLocation();
  if (path === '/shared') {
    return (
      <ErrorBoundary>
        <SharedScreen />
      </ErrorBoundary>
    );
  }
  return (
    <ErrorBoundary>
      <AccountProvider signIn={(form) => <SignInScreen {...form} />}>
        <Shell />
      </AccountProvider>
    </ErrorBoundary>
  );
}

function Shell() {
  const { path } = useLocation();
  const [isHelp, setHelp] = useState(false);
  const create = useNewSession();
  const isAllowed = mayBegin(useAccount().me);
  const { open, palette } = usePalette();
  useNoStrayDrops();
  useCommands('Go to', [
    ...(isAllowed ? [{ label: 'New conversation', key: 'n', run: () => void create.run() }] : []),
    { label: 'Conversations', key: 'g', run: () => navigate('/') },
    ...(isAllowed ? [{ label: 'Import conversations', key: 'i', run: () => navigate('/import') }] : []),
    { label: 'Try a payload', key: 'p', run: () => navigate('/try') },
  ]);
  const [, , sessionId] = /^\/(sessions)\/([^/]+)/.exec(path) ?? [];
  const isTenant = path.startsWith('/tenant');
  const isTry = path.startsWith('/try');
  const isImport = path.startsWith('/import');
  const isList = sessionId === undefined && !isTenant && !isTry && !isImport;
  const isKnown = !isList || path === '/';
  return (
    <div className={`shell ${isList && isKnown ? '' : 'has-view'} ${sessionId === undefined ? '' : 'in-session'}`}>
      <a className="skip" href="#main">
        To the content
      </a>
      <TopBar onHelp={() => setHelp(true)} onPalette={open} />
      <Unreachable />
      <div className="panes">
        {!isTenant && !isTry && !isImport && <SessionList selected={sessionId ?? null} create={create} />}
        <div className="main" {...(isList ? { role: 'complementary', 'aria-label': 'Welcome' } : { role: 'main', id: 'main', tabIndex: -1 })}>
          <ErrorBoundary key={path.split('/').slice(0, 3).join('/')}>
            {sessionId !== undefined && <SessionFrame key={sessionId} id={sessionId} />}
            {isTenant && <TenantScreen />}
            {isTry && <TryScreen />}
            {isImport && <ImportScreen />}
            {isList && isKnown && <Welcome create={create} />}
            {!isKnown && (
              <Empty title="There is no such page">
                <p>The address has a mistake, or what it named is gone.</p>
                <Link to="/" className="button plain">
                  All conversations
                </Link>
              </Empty>
            )}
          </ErrorBoundary>
        </div>
      </div>
      {palette}
      <LeaveDialog />
      {isHelp && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}

function Unreachable() {
  const isReached = useSyncExternalStore(reachability.subscribe, reachability.get);
  if (isReached) return null;
  return (
    <p className="banner" role="status">
      The server cannot be reached. The page reconnects by itself; nothing is lost.
    </p>
  );
}
