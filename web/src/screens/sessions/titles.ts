import type { SessionListItem } from '@verbatim/client';
import { useSyncExternalStore } from 'react';

const titles = new Map<string, string>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Keeps the titles that a list shows. */
export function noteTitles(rows: readonly SessionListItem[]): void {
  for (const { id, title, firstText } of rows) titles.set(id, title ?? firstText ?? 'New conversation');
  listeners.forEach((listener) => listener());
}

/** What a list of this page calls a conversation, which has its title while it is read; null: none shows it. */
export const useTitleInList = (id: string): string | null => useSyncExternalStore(subscribe, () => titles.get(id) ?? null);
