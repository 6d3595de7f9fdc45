import type { SessionListItem } from '@verbatim/client';
import { useRef } from 'react';
import { previewOf } from '../screens/sessions/preview.ts';
import { useWaitsFor } from '../screens/sessions/waits-for.ts';
import { visible } from '../text/deceiving.ts';
import { Icon } from '../ui/icon.tsx';
import { Button, Time } from '../ui/parts.tsx';
import type { Notifications } from './notifications.ts';
import { Link } from './router.tsx';
import { NEEDS_YOU, useWaiting } from './waiting.ts';
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
        title={NEEDS_YOU}
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
        <h2>{NEEDS_YOU}</h2>
        {count === 0 ? (
          <p className="aside">Nothing. A tool call that needs your decision is listed here.</p>
        ) : (
          <ul>
            {waiting.map((row) => (
              <Waiting key={row.id} row={row} onClick={close} />
            ))}
          </ul>
        )}
        <BrowserState notifications={notifications} />
      </div>
    </>
  );
}

function Waiting({ row, onClick }: { readonly row: SessionListItem; readonly onClick: () => void }) {
  const { id, title, firstText, lastText, updatedAt } = row;
  const calls = useWaitsFor(row);
  return (
    <li>
      <Link to={`/sessions/${id}`} className="menu-item" onClick={onClick}>
        <span>
          <bdi>{visible(title ?? firstText ?? 'New conversation')}</bdi> <Time value={updatedAt} />
        </span>
        {calls.length > 0 ? (
          <span className="aside">waits for you: {visible(calls.map(({ name, about }) => `${name} ${about}`.trim()).join(', '))}</span>
        ) : (
          lastText && <span className="aside">{visible(previewOf(lastText))}</span>
        )}
      </Link>
    </li>
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
      <h2>Browser notifications</h2>
      <p className="aside" role="status">
        {STATES[state]}
      </p>
      {state !== 'none' && <Button onClick={toggle}>{state === 'on' ? 'Turn off' : state === 'off' ? 'Turn on' : 'Ask the browser again'}</Button>}
    </div>
  );
}
