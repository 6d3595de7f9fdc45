import { type Composition, NO_COMPOSITION } from '@verbatim/client';
import { useEffect, useState } from 'react';
import { useAccount } from '../../app/account.tsx';

/** What the user writes in a conversation. */
export interface Writing {
  readonly composition: Composition;
  /** Uuid of the prompt that it takes the place of; null: it is a new one. */
  readonly replaces: string | null;
  /** What was being written when an edit began: it is there again afterwards. */
  readonly aside: Composition | null;
}

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;

export const NOTHING: Writing = {
  composition: { ...NO_COMPOSITION, from: { ...NO_COMPOSITION.from, ...(ZONE === undefined || ZONE === 'Etc/Unknown' ? {} : { timeZone: ZONE }) } },
  replaces: null,
  aside: null,
};

export const isEmpty = ({ text, pieces }: Composition): boolean => text.trim() === '' && pieces.length === 0;

/** Kept for the conversation in this tab, also when another view is opened or the page is loaded again, until the user signs out. */
export function useWriting(sessionId: string) {
  const key = `${KEPT}${useAccount().me.userId}/${sessionId}`;
  const [writing, setWriting] = useState(() => kept(key));
  useEffect(() => keep(key, writing), [key, writing]);
  return [writing, setWriting] as const;
}

/** The number is that of the form in which it is kept: another build finds nothing rather than what it cannot show. */
const KEPT = 'verbatim-writing/1/';

/** Pieces with which a draft was larger than what a browser keeps: it is not tried again with each key. */
const tooLarge = new WeakSet<Composition['pieces']>();

function kept(key: string): Writing {
  const stored = sessionStorage.getItem(key);
  return stored === null ? NOTHING : (JSON.parse(stored) as Writing);
}

function keep(key: string, writing: Writing): void {
  sessionStorage.removeItem(key);
  const { pieces } = writing.composition;
  if (tooLarge.has(pieces)) return;
  if (isEmpty(writing.composition) && writing.replaces === null && writing.aside === null) return;
  try {
    sessionStorage.setItem(key, JSON.stringify(writing));
  } catch {
    if (pieces.length > 0) tooLarge.add(pieces); // the draft is in this page only
  }
}
