import type { Client } from '@verbatim/client';
import { useEffect, useMemo, useState } from 'react';
import { partsOf } from '../../screens/tenant/screen.tsx';
import { wordsOf } from '../../text/brief.ts';
import { visible } from '../../text/deceiving.ts';
import type { IconName } from '../../ui/icon.tsx';
import { useAccount } from '../account.tsx';
import { ABOUT, type Command, commandsAbout } from '../commands.ts';
import { useLoad } from '../load.ts';
import { navigate } from '../router.tsx';

export interface Option {
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  /** More about it: what was found. */
  readonly more: string;
  /** The key that does it without the palette. */
  readonly shortcut?: string | undefined;
  readonly run: () => void;
}

export interface Group {
  readonly name: string;
  readonly options: readonly Option[];
}

const TYPING_MS = 150;
const MOST_SESSIONS = 8;
/** Newest conversations whose titles are matched here, without the search. */
const TITLES = 100;

/**
 * What the words choose from: commands and screens whose names have all of them, and conversations in which the search finds them, or the newest. Those of
 * earlier words are not offered: Enter would open one. Titles of the newest conversations, of which each word begins a word, come first: they are known here.
 */
export function useOptions(words: string): { readonly groups: readonly Group[]; readonly isLoading: boolean; readonly error: unknown } {
  const { client, me } = useAccount();
  const [known] = useState(() => {
    const screens = partsOf(me).map(([path, label]): Command => ({ label: `Tenant: ${label}`, run: () => navigate(`/tenant${path && `/${path}`}`) }));
    return ABOUT.map((name) => ({ name, commands: [...commandsAbout(name), ...(name === 'Go to' ? screens : [])] }));
  });
  const [settled, setSettled] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(words), TYPING_MS);
    return () => clearTimeout(timer);
  }, [words]);
  const { data, error, isLoading } = useLoad((signal) => sessionsFor(client, settled, signal), [client, settled]);
  const { data: newest, ...ofNewest } = useLoad((signal) => newestOf(client, signal), [client]);
  const groups = useMemo(() => {
    const isFirst = ({ label }: Option): boolean => label.toLowerCase().startsWith(words.toLowerCase());
    const titled =
      words === ''
        ? []
        : (newest ?? [])
            .filter(({ label }) => begins(label, words))
            .toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))
            .slice(0, MOST_SESSIONS);
    const found = settled === words && words !== '' ? (data ?? []) : [];
    const others = found.filter(({ id }) => titled.every((one) => one.id !== id));
    const wanted = words.toLowerCase().split(/\s+/);
    const isWanted = ({ label }: Command): boolean => wanted.every((word) => label.toLowerCase().includes(word));
    return [
      { name: 'Conversations', options: titled },
      ...known.map(({ name, commands }) => ({ name, options: commands.filter(isWanted).map(optionOf) })),
      words === ''
        ? { name: 'Newest conversations', options: (newest ?? []).slice(0, MOST_SESSIONS) }
        : { name: 'Found in texts', options: others.slice(0, MOST_SESSIONS) },
    ].filter(({ options }) => options.length > 0);
  }, [known, words, settled, data, newest]);
  return { groups, isLoading: isLoading || ofNewest.isLoading || settled !== words, error: error ?? ofNewest.error };
}

/** Of commands, by their labels: what is none of them has a chevron. */
const ICONS: readonly (readonly [label: RegExp, icon: IconName])[] = [
  [/^New conversation/, 'plus'],
  [/^Conversations$|: Conversation$/, 'message'],
  [/^Import/, 'import'],
  [/^Try a payload/, 'code'],
  [/: Requests$/, 'sent'],
  [/: Branches$/, 'fork'],
  [/: Files$/, 'file'],
  [/: (Timeline|Usage)$/, 'clock'],
  [/: Audit$/, 'shield'],
  [/: Tokens$/, 'lock'],
  [/^Settings|: Settings$/, 'sliders'],
  [/: Tools and skills$/, 'code'],
  [/: Memory$/, 'archive'],
  [/: People$/, 'person'],
  [/^(Rename|Write)/, 'edit'],
  [/^Move to a folder/, 'folder'],
  [/^Share/, 'share'],
  [/^Schedules/, 'clock'],
  [/^Export/, 'import'],
  [/^Erase/, 'erase'],
  [/^Stop/, 'stop'],
  [/^Compact/, 'compress'],
  [/^Rewind/, 'rewind'],
  [/^Change the colours/, 'theme'],
  [/^Turn notifications/, 'bell'],
  [/^Keyboard/, 'keys'],
  [/^Select/, 'select'],
  [/^Sign out/, 'leave'],
];

const optionOf = ({ label, key, run }: Command): Option => ({
  id: `command ${label}`.replace(/\W+/g, '-'),
  icon: ICONS.find(([pattern]) => pattern.test(label))?.[1] ?? 'chevron',
  label,
  more: '',
  shortcut: key,
  run,
});

/** Whether each of the words begins a word of the title. */
function begins(title: string, words: string): boolean {
  const own = title.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => own.some((one) => one.startsWith(word)));
}

async function newestOf(client: Client, signal: AbortSignal): Promise<readonly Option[]> {
  const { data } = await client.listSessions({ limit: TITLES }, { signal });
  return data.map(({ id, title, firstText, lastText }) => option(id, title ?? firstText ?? 'New conversation', wordsOf(lastText ?? ''), null));
}

async function sessionsFor(client: Client, words: string, signal: AbortSignal): Promise<readonly Option[]> {
  if (words === '') return [];
  const { data } = await client.searchSessions({ q: words, limit: 50 }, { signal });
  const best = new Map(data.toReversed().map((hit) => [hit.sessionId, hit]));
  return data
    .filter((hit) => best.get(hit.sessionId) === hit)
    .slice(0, MOST_SESSIONS)
    .map(({ sessionId, title, firstText, snippet, uuid }) => option(sessionId, title ?? firstText, snippet.text, uuid));
}

function option(id: string, title: string | null, more: string, message: string | null): Option {
  return {
    id: `session-${id}`,
    icon: 'message',
    label: visible(title ?? 'Without a title'),
    more: visible(more),
    run: () => navigate(`/sessions/${id}${message === null ? '' : `?message=${message}`}`),
  };
}
