import { useRef } from 'react';
import { visible } from '../text/deceiving.ts';
import { Icon } from '../ui/icon.tsx';
import { useAccount } from './account.tsx';
import { type Theme, THEMES } from './theme.ts';

interface Props {
  readonly theme: Theme;
  readonly onTheme: (theme: Theme) => void;
  readonly onHelp: () => void;
}

/** Who is signed in, and what is rarely needed. A popover of the browser: Escape and a click elsewhere close it. */
export function AccountMenu({ theme, onTheme, onHelp }: Props) {
  const { me, signOut } = useAccount();
  const menu = useRef<HTMLDivElement>(null);
  const close = (run: () => void) => (): void => {
    menu.current?.hidePopover();
    run();
  };
  return (
    <>
      <button type="button" className="account" popoverTarget="account" aria-label={`Account: ${visible(me.userName)}`}>
        <span className="initials" aria-hidden="true">
          {initialsOf(me.userName)}
        </span>
        <span className="who not-phone">{visible(me.userName)}</span>
      </button>
      <div id="account" className="menu" popover="auto" ref={menu} role="group" aria-label="Account">
        <p className="menu-head">
          <strong>{visible(me.userName)}</strong>
          <span className="aside">
            {me.role} of {visible(me.tenantName)}
          </span>
        </p>
        <div className="segments" role="group" aria-label="Colours">
          {THEMES.map((one) => (
            <button key={one} type="button" aria-pressed={one === theme} onClick={() => onTheme(one)}>
              {one}
            </button>
          ))}
        </div>
        <button type="button" className="menu-item not-phone with-keys" onClick={close(onHelp)}>
          <Icon name="keys" /> Keyboard help
        </button>
        <button type="button" className="menu-item" onClick={close(signOut)}>
          <Icon name="leave" /> Sign out
        </button>
      </div>
    </>
  );
}

/** Of the first two words. */
const initialsOf = (name: string): string =>
  visible(
    name
      .split(/\s+/)
      .slice(0, 2)
      .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 63))
      .join(''),
  ).toUpperCase();
