import { useEffect, useState } from 'react';
import { useAccount } from '../../app/account.tsx';

export interface Source {
  readonly text: string;
  /** Of a file that is not shown; null: the text is that of the field. */
  readonly file: string | null;
}

/** What is to be tried, as it is written. */
export interface Attempt {
  readonly source: Source;
  /** The error that was seen. */
  readonly error: string;
  /** Empty: that of the request. */
  readonly model: string;
}

/** Characters of an attempt that are kept: a browser keeps some millions for all views of a tab, drafts of prompts among them. */
export const KEPT_CHARACTERS = 1_000_000;

const EMPTY: Attempt = { source: { text: '', file: null }, error: '', model: '' };

/**
 * What is to be tried, kept in this tab, also when another view is opened or the page is loaded again, until the user signs out. `isKept`: false when it is larger than what
 * is kept; then nothing is.
 */
export function useAttempt() {
  const key = `${KEPT}${useAccount().me.userId}`;
  const [attempt, setAttempt] = useState(() => kept(key));
  const [isKept, setKept] = useState(true);
  useEffect(() => setKept(keep(key, attempt)), [key, attempt]);
  return { attempt, change: (part: Partial<Attempt>) => setAttempt((before) => ({ ...before, ...part })), isKept };
}

/** The number is that of the form in which it is kept: another build finds nothing rather than what it cannot show. */
const KEPT = 'verbatim-try/1/';

function kept(key: string): Attempt {
  const stored = sessionStorage.getItem(key);
  return stored === null ? EMPTY : (JSON.parse(stored) as Attempt);
}

function keep(key: string, attempt: Attempt): boolean {
  const { source, error, model } = attempt;
  sessionStorage.removeItem(key);
  const characters = source.text.length + error.length + model.length;
  if (characters === 0) return true;
  if (characters > KEPT_CHARACTERS) return false;
  try {
    sessionStorage.setItem(key, JSON.stringify(attempt));
    return true;
  } catch {
    return false; // the tab has no room left
  }
}
