import { useEffect, useRef } from 'react';
import { type Shortcuts, useKeys } from './keyboard.ts';

/** What a person may do now, in the palette and, where it has a key, by that. */
export interface Command {
  readonly label: string;
  readonly key?: string;
  readonly run: () => void;
}

/** What commands are about, in the order of the palette. */
export const ABOUT = ['This conversation', 'Go to', 'This page'] as const;

interface Offer {
  readonly about: (typeof ABOUT)[number];
  readonly commands: readonly Command[];
}

const offers = new Set<{ readonly current: Offer }>();

/** Offers commands while a view is shown. */
export function useCommands(about: Offer['about'], commands: readonly Command[]): void {
  const latest = useRef<Offer>({ about, commands });
  latest.current = { about, commands };
  useKeys(Object.fromEntries(commands.flatMap(({ key, run }) => (key === undefined ? [] : [[key, run]]))) as Shortcuts);
  useEffect(() => {
    offers.add(latest);
    return () => void offers.delete(latest);
  }, []);
}

export const commandsAbout = (about: Offer['about']): readonly Command[] =>
  [...offers].flatMap(({ current }) => (current.about === about ? current.commands : []));
