import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  readonly icon: IconName;
  /** Ends with … where a dialog asks for more. */
  readonly label: string;
  readonly isDanger?: boolean;
  /** It stays in its place, and does nothing. */
  readonly isDisabled?: boolean;
  /** Also takes the menu away, or shows something else in its place. */
  readonly run: () => void;
}

interface Props {
  readonly label: string;
  /** The button that opened it: the menu stands at it, and gives the focus back to it. */
  readonly at: HTMLElement;
  /** A line stands between them; one without items is left out. */
  readonly groups: readonly (readonly MenuItem[])[];
  /** Above the items. */
  readonly head?: ReactNode;
  /** Nothing was chosen. */
  readonly onClose: () => void;
}

/** Pixels between the menu, its button and the edges of the window. */
const GAP = 4;
const EDGE = 8;

/**
 * A menu, open while it is rendered. It stands in a layer over the page, which takes the press beside it: that closes the menu and does nothing else. On a phone
 * it is a sheet at the foot. Keys: arrows, Home and End, the first letter of an item; Escape and Tab close it.
 */
export function Menu({ label, at, groups, head, onClose }: Props) {
  const layer = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    layer.current!.showPopover();
    place(menu.current!, at);
    itemsIn(menu.current!)[0]?.focus({ preventScroll: true });
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const latest = useRef(onClose);
  latest.current = onClose;
  // Escape is the browser's: it closes popovers.
  useEffect(() => {
    const element = layer.current!;
    const onToggle = ({ newState }: Event & { readonly newState?: string }): void => {
      if (newState !== 'closed') return;
      // It has taken the focus along.
      if (document.activeElement === document.body) at.focus({ preventScroll: true });
      latest.current();
    };
    const onResize = (): void => place(menu.current!, at);
    element.addEventListener('toggle', onToggle);
    addEventListener('resize', onResize);
    return () => {
      element.removeEventListener('toggle', onToggle);
      removeEventListener('resize', onResize);
    };
  }, [at]);
  const close = (): void => {
    at.focus({ preventScroll: true });
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation(); // the page has shortcuts of single keys
    if (event.key === 'Tab' || event.key === 'Escape') {
      event.preventDefault();
      return close();
    }
    const next = nextOf(itemsIn(menu.current!), event.key);
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return (
    // The keys do all that the press beside the menu does.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <div ref={layer} className="menu-layer" popover="auto" onClick={({ target, currentTarget }) => target === currentTarget && close()}>
      <div ref={menu} className="popup" role="menu" tabIndex={-1} aria-label={label} onKeyDown={onKeyDown}>
        {head}
        {groups
          .filter((group) => group.length > 0)
          .map((group, index) => (
            <Fragment key={group[0]!.label}>
              {index > 0 && <hr />}
              {group.map((item) => (
                <Item key={item.label} item={item} at={at} />
              ))}
            </Fragment>
          ))}
      </div>
    </div>
  );
}

function Item({ item: { icon, label, isDanger = false, isDisabled = false, run }, at }: { readonly item: MenuItem; readonly at: HTMLElement }) {
  const choose = (): void => {
    if (isDisabled) return;
    at.focus({ preventScroll: true }); // what opens next gives the focus back to where it is now
    run();
  };
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={`menu-item ${isDanger ? 'danger' : ''}`}
      aria-disabled={isDisabled || undefined}
      onClick={choose}
    >
      <Icon name={icon} /> {label}
    </button>
  );
}

const itemsIn = (menu: HTMLElement): readonly HTMLElement[] => [...menu.querySelectorAll<HTMLElement>('[role=menuitem]')];

/** Where the key leads from the item with the focus; undefined: it is no key of a menu. */
function nextOf(items: readonly HTMLElement[], key: string): HTMLElement | undefined {
  const from = items.findIndex((item) => item === document.activeElement);
  if (key === 'ArrowDown') return items[(from + 1) % items.length];
  if (key === 'ArrowUp') return items.at(from <= 0 ? -1 : from - 1);
  if (key === 'Home') return items[0];
  if (key === 'End') return items.at(-1);
  if (key.length !== 1 || key === ' ') return undefined;
  const begins = (item: HTMLElement): boolean => item.textContent.trim().toLowerCase().startsWith(key.toLowerCase());
  return items.slice(from + 1).find(begins) ?? items.find(begins);
}

/** The bar of the page, which a menu does not cover. */
const BAR = 56;

/** Below the button, with the right edges in line, unless the window ends there: then above it, or beside it. Style sheets decide whether the place is used. */
function place(menu: HTMLElement, at: HTMLElement): void {
  const button = at.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = button.bottom + GAP;
  const above = button.top - GAP - height;
  const isBeside = below + height > innerHeight - EDGE && above < BAR;
  const x = isBeside ? button.right + GAP : button.right - width >= EDGE ? button.right - width : button.left;
  const y = isBeside ? innerHeight - EDGE - height : below + height <= innerHeight - EDGE ? below : above;
  menu.style.setProperty('--x', `${Math.max(EDGE, Math.min(x, innerWidth - EDGE - width))}px`);
  menu.style.setProperty('--y', `${Math.max(EDGE, y)}px`);
}
