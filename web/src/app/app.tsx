import { useState, useSyncExternalStore } from 'react';
import { SessionFrame } from '../screens/session-frame.tsx';
import { SessionList } from '../screens/sessions/list.tsx';
import { useNewSession } from '../screens/sessions/new-session.ts';
import { SignInScreen } from '../screens/sign-in.tsx';
import { Icon } from '../ui/icon.tsx';
import { Button, Empty } from '../ui/parts.tsx';
import { AccountProvider, reachability, useAccount } from './account.tsx';
import { useCommands } from './commands.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Help } from './help.tsx';
import { Lazy } from './lazy.tsx';
import { useNotifications } from './notifications.ts';
import { usePalette } from './palette/open.tsx';
import { Link, navigate, useLocation } from './router.tsx';
import { useTheme } from './theme.ts';

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
  const { open, palette } = usePalette();
  useCommands('Go to', [
    { label: 'New conversation', key: 'n', run: () => void create.run() },
    { label: 'Conversations', key: 'g', run: () => navigate('/') },
    { label: 'Import conversations', key: 'i', run: () => navigate('/import') },
    { label: 'Try a payload', key: 'p', run: () => navigate('/try') },
  ]);
  const [, , sessionId] = /^\/(sessions)\/([^/]+)/.exec(path) ?? [];
  const isTenant = path.startsWith('/tenant');
  const isTry = path.startsWith('/try');
  const isImport = path.startsWith('/import');
  const isList = sessionId === undefined && !isTenant && !isTry && !isImport;
  return (
    <div className={`shell ${isList ? '' : 'has-view'}`}>
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
            {isList && <Welcome create={create} />}
          </ErrorBoundary>
        </div>
      </div>
      {palette}
      {isHelp && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}

const NOTIFICATIONS = 'Tell me when an answer is complete or a tool waits, while this page is hidden';

function TopBar({ onHelp, onPalette }: { readonly onHelp: () => void; readonly onPalette: () => void }) {
  const { me, signOut } = useAccount();
  const { path } = useLocation();
  const [theme, nextTheme] = useTheme();
  const { isOn, isDenied, toggle } = useNotifications();
  useCommands('This page', [
    { label: `Change the colours: now ${theme}`, run: nextTheme },
    ...(toggle ? [{ label: `Turn notifications ${isOn ? 'off' : 'on'}`, run: toggle }] : []),
    { label: 'Keyboard help', key: '?', run: onHelp },
    { label: 'Sign out', run: signOut },
  ]);
  return (
    <>
      <header className="top">
        <Link to="/" className="brand">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M6 6h9v5H6zM6 14h9v3H6zM6 20h9v6H6z" opacity=".45" />
            <path d="M17 6h9v5h-9zM17 20h9v6h-9z" />
          </svg>
          Verbatim
        </Link>
        <nav aria-label="Main">
          <Link to="/" aria-current={/^\/(?:tenant|try)/.test(path) ? undefined : 'page'}>
            Conversations
          </Link>
          <Link to="/try" aria-current={path.startsWith('/try') ? 'page' : undefined} title="Try a payload: key p">
            Try
          </Link>
          <Link to="/tenant" aria-current={path.startsWith('/tenant') ? 'page' : undefined}>
            Tenant
          </Link>
        </nav>
        <span className="spacer" />
        <button type="button" className="round not-phone" aria-label="Go to, or do" title="Go to, or do: Ctrl+K" onClick={onPalette}>
          <Icon name="search" />
        </button>
        {toggle && (
          <button type="button" className="round not-phone" aria-label="Notifications" aria-pressed={isOn} title={NOTIFICATIONS} onClick={toggle}>
            <Icon name="bell" />
          </button>
        )}
        <button type="button" className="round" aria-label={`Colours: ${theme}. Change`} title={`Colours: ${theme}`} onClick={nextTheme}>
          <Icon name="theme" />
        </button>
        <button type="button" className="round" aria-label="Keyboard help" onClick={onHelp}>
          ?
        </button>
        <span className="who" title={me.tenantName}>
          {me.userName}
        </span>
        <Button look="quiet" onClick={signOut}>
          Sign out
        </Button>
      </header>
      {isDenied && (
        <p className="banner" role="status">
          The browser does not allow notifications of this page. Its settings for this site change that.
        </p>
      )}
    </>
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

function Welcome({ create }: { readonly create: ReturnType<typeof useNewSession> }) {
  return (
    <Empty title="Every conversation, exactly as it happened">
      <p>For each answer you can see what the model was sent, block by block, and why it differs from what is stored.</p>
      <ul className="offers">
        <li>
          <Button look="primary" disabled={create.isBusy} onClick={() => void create.run()}>
            New conversation
          </Button>
          <p>Ask something, or choose a conversation of the list.</p>
        </li>
        <li>
          <Link to="/import" className="button plain">
            Import conversations
          </Link>
          <p>Your sessions of Claude Code, a file or a whole folder, and exports of this server.</p>
        </li>
        <li>
          <Link to="/try" className="button plain">
            Try a payload
          </Link>
          <p>Does the model API refuse a request of yours? See what would be changed, and why. Nothing is stored.</p>
        </li>
      </ul>
    </Empty>
  );
}
