import { useRef } from 'react';
import { visible } from '../text/deceiving.ts';
import { Icon } from '../ui/icon.tsx';
import { Button, Time } from '../ui/parts.tsx';
import type { Notifications } from './notifications.ts';
import { Link } from './router.tsx';
import { useWaiting } from './waiting.ts';
import { plural } from './words.ts';

/** What waits for the person, and whether the browser tells of it. */
export function Bell({ notifications }: { readonly notifications: Notifications }) {
  const waiting = useWaiting();
  const panel = useRef<HTMLDivElement>(null);
  const close = (): void => panel.current?.hidePopover();
  const count = waiting.length;
  return (
    <>
      <button
        type="button"
        className="round bell"
        popoverTarget="notifications"
        aria-label={count === 0 ? 'Notifications' : `Notifications: ${plural(count, 'conversation')} ${count === 1 ? 'waits' : 'wait'}`}
        title="What waits for you"
        onClick={notifications.refresh}
      >
        <Icon name="bell" />
        {count > 0 && (
          <span className="count" aria-hidden="true">
            {count > 99 ? '99+' : count}
          </span>
        )}
      </button>
      <div id="notifications" className="menu notifications" popover="auto" ref={panel} role="group" aria-label="Notifications">
        <h2>Waits for you</h2>
        {count === 0 ? (
          <p className="aside">Nothing. A tool call that needs your decision is listed here.</p>
        ) : (
          <ul>
            {waiting.map(({ id, title, firstText, lastText, updatedAt }) => (
              <li key={id}>
                <Link to={`/sessions/${id}`} className="menu-item" onClick={close}>
                  <span>
                    <bdi>{visible(title ?? firstText ?? 'New conversation')}</bdi> <Time value={updatedAt} />
                  </span>
                  {lastText && <span className="aside">{visible(lastText)}</span>}
                </Link>
              </li>
            ))}
          </ul>
        )}
        <BrowserState notifications={notifications} />
      </div>
    </>
  );
}

const STATES: Readonly<Record<Notifications['state'], string>> = {
  on: 'On: told when an answer is complete or a tool waits, while this page is hidden.',
  off: 'Off. The browser can tell you when an answer is complete or a tool waits, while this page is hidden.',
  blocked: 'Blocked: the browser does not allow notifications of this page. Its settings for this site change that.',
  none: 'This browser has none.',
};

function BrowserState({ notifications: { state, toggle } }: { readonly notifications: Notifications }) {
  return (
    <div className="browser-state">
      <h2>Notifications of the browser</h2>
      <p className="aside" role="status">
        {STATES[state]}
      </p>
      {state !== 'none' && <Button onClick={toggle}>{state === 'on' ? 'Turn off' : state === 'off' ? 'Turn on' : 'Ask the browser again'}</Button>}
    </div>
  );
}
