import { useEffect, useState } from 'react';
import { navigate, useLocation } from '../../app/router.tsx';
import type { Filters } from './use-sessions.ts';

export const NO_FILTERS: Filters = { scope: null, status: null, user: null, model: null, since: null, folder: null, archived: false };

/** Each is a parameter of the address under its own name. */
const NAMES = ['scope', 'status', 'user', 'model', 'since', 'folder'] as const;

/** How many are set. */
export const countOf = (filters: Filters): number => Object.values(filters).filter((value) => value !== null && value !== false).length;

export const isFiltered = (filters: Filters): boolean => countOf(filters) > 0;

/** The filters of the list. The address of the list has them, so that a list can be linked and loaded again; beside a conversation they stay as they are. */
export function useFilters(): readonly [Filters, (filters: Filters) => void] {
  const { path, query } = useLocation();
  const isList = path === '/';
  const [filters, setFilters] = useState(() => (isList ? filtersOf(query) : NO_FILTERS));
  const search = query.toString();
  useEffect(() => {
    if (!isList) return;
    const named = filtersOf(new URLSearchParams(search));
    if (isFiltered(named)) setFilters((before) => (addressOf(before) === addressOf(named) ? before : named));
    else if (isFiltered(filters)) navigate(addressOf(filters), { replace: true });
    // Only an arrival at another address: what the person chooses here is in the address already.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isList, search]);
  const choose = (next: Filters): void => {
    setFilters(next);
    if (isList) navigate(addressOf(next), { replace: true });
  };
  return [filters, choose];
}

/** What cannot be a filter is left out: anyone may write an address. */
function filtersOf(query: URLSearchParams): Filters {
  const values = Object.fromEntries(NAMES.map((name) => [name, query.get(name) || null])) as Omit<Filters, 'archived'>;
  const { since, user } = values;
  return {
    ...values,
    since: since !== null && /^\d{4}-\d\d-\d\d$/.test(since) && !Number.isNaN(Date.parse(since)) ? since : null,
    scope: user === null ? values.scope : 'tenant',
    archived: query.get('archived') === 'true',
  };
}

function addressOf(filters: Filters): string {
  const query = new URLSearchParams();
  for (const name of NAMES) if (filters[name] !== null) query.set(name, filters[name]);
  if (filters.archived) query.set('archived', 'true');
  return query.size === 0 ? '/' : `/?${query}`;
}
