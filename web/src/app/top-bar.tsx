import { Bell } from './bell.tsx';
import { Icon } from '../ui/icon.tsx';
import { Mark } from '../ui/mark.tsx';
import { useAccount } from './account.tsx';
import { AccountMenu } from './account-menu.tsx';
import { useCommands } from './commands.ts';
import { useNotifications } from './notifications.ts';
import { Link, useLocation } from './router.tsx';
import { THEMES, useTheme } from './theme.ts';

/** Where the views of the console are reached from. A phone that shows a conversation leaves it out: the way back leads to it. */
export function TopBar({ onHelp, onPalette }: { readonly onHelp: () => void; readonly onPalette: () => void }) {
  const { signOut } = useAccount();
  const { path } = useLocation();
  const [theme, setTheme] = useTheme();
  const notifications = useNotifications();
  const { state, toggle } = notifications;
  useCommands('This page', [
    { label: `Change the colours: now ${theme}`, run: () => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!) },
    ...(state === 'none' ? [] : [{ label: `Turn notifications ${state === 'on' ? 'off' : 'on'}`, run: toggle }]),
    // A device that is touched has no keys to be helped with.
    ...(matchMedia('(hover: none)').matches ? [] : [{ label: 'Keyboard help', key: '?', run: onHelp }]),
    { label: 'Sign out', run: signOut },
  ]);
  return (
    <>
      <header className="top">
        <Link to="/" className="brand" aria-label="Verbatim">
          <Mark /> <span className="not-phone">Verbatim</span>
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
        <button type="button" className="go-to" aria-label="Go to, or do" title="Go to, or do: Ctrl+K" onClick={onPalette}>
          <Icon name="search" />
          <span className="not-phone" aria-hidden="true">
            Go to, or do <kbd>Ctrl K</kbd>
          </span>
        </button>
        <Bell notifications={notifications} />
        <AccountMenu theme={theme} onTheme={setTheme} onHelp={onHelp} />
      </header>
    </>
  );
}
