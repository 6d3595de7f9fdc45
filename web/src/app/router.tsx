import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from 'react';

/** Every view has a URL below this path. */
export const BASE = '/console';

const listeners = new Set<() => void>();
const notify = (): void => {
  shown = location.pathname + location.search;
  listeners.forEach((listener) => listener());
};
/** The address of what is shown. */
let shown = location.pathname + location.search;

export type Leave = () => void;
/** Says whether it has held back that a view is left; `leave` leaves it all the same. */
let heldBack: (leave: Leave) => boolean = () => false;
export const guardLeaving = (guard: typeof heldBack): void => void (heldBack = guard);

const isSameView = (target: string): boolean => new URL(target, location.origin).pathname === new URL(shown, location.origin).pathname;

/** The browser has the other address already: it is put back while the person is asked. */
function onPop(): void {
  const target = location.pathname + location.search;
  if (!isSameView(target) && heldBack(() => navigate(target.slice(BASE.length)))) history.pushState(null, '', shown);
  else notify();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('popstate', onPop);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('popstate', onPop);
  };
}

/** Path below `BASE`, and query. */
export function useLocation(): { readonly path: string; readonly query: URLSearchParams } {
  const pathname = useSyncExternalStore(subscribe, () => location.pathname);
  const search = useSyncExternalStore(subscribe, () => location.search);
  return { path: pathname.slice(BASE.length).replace(/\/+$/, '') || '/', query: new URLSearchParams(search) };
}

export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const target = BASE + to;
  if (target === location.pathname + location.search + (target.includes('#') ? location.hash : '')) return;
  if (!isSameView(target) && heldBack(() => navigate(to, { replace }))) return;
  if (replace) history.replaceState(null, '', target);
  else history.pushState(null, '', target);
  notify();
}

/** One parameter of the query as state: setting it replaces the URL, null removes it. */
export function useQuery(name: string): readonly [string | null, (value: string | null) => void] {
  const { path, query } = useLocation();
  const set = (value: string | null): void => {
    const next = new URLSearchParams(location.search);
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
    navigate(path + (next.size === 0 ? '' : `?${next}`) + location.hash, { replace: true }); // the secret of a link is in the hash
  };
  return [query.get(name), set];
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly to: string;
}

/** A link to a view: opened in place by a plain click, by the browser otherwise. */
export function Link({ to, onClick, ...rest }: LinkProps) {
  const open = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return <a href={BASE + to} onClick={open} {...rest} />;
}
