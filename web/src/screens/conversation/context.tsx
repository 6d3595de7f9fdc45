import type { Conversation, StoredSource, TranscriptMessage, Turn } from '@verbatim/client';
import { createContext, type RefObject, useContext } from 'react';
import type { CallResult } from './items.ts';
import type { Versions } from './versions.ts';

/** A version was switched to: its switch takes the focus when it is there. */
export interface Switched {
  readonly uuid: string;
  readonly step: -1 | 1;
  /** Where the one before was on the screen; null: it was not. */
  readonly top: number | null;
}

export type Rating = 'good' | 'bad';

/** What the rows of a transcript need of it. */
export interface TranscriptContext {
  readonly id: string;
  /** What acts on it; null: it is only shown, to a reader without an account. */
  readonly conversation: Conversation | null;
  readonly turn: Turn | null;
  /** An object URL of stored bytes. */
  readonly urlOf: (source: StoredSource) => Promise<string>;
  /** Stored bytes. */
  readonly bytesOf: (source: StoredSource) => Promise<Blob>;
  readonly results: ReadonlyMap<string, CallResult>;
  readonly lastPrompt: string | null;
  readonly failure: string | null;
  readonly canWrite: boolean;
  /** The name that is stored with a prompt is used where the user is not known. */
  readonly nameOf: (userId: string, stored?: string) => string;
  readonly onEdit: (message: TranscriptMessage) => void;
  /** By uuid of the message. */
  readonly versions: ReadonlyMap<string, Versions>;
  /** Turns that have changed files, by the uuid of their last message. */
  readonly changed: ReadonlyMap<string, string>;
  /** Milliseconds that turns took, by the uuid of their last message. */
  readonly durations: ReadonlyMap<string, number>;
  readonly onSwitch: (versions: Versions, step: -1 | 1, top: number | null) => void;
  readonly switched: RefObject<Switched | null>;
  /** Asks whether to rewind to before a message. */
  readonly onRewind: (message: TranscriptMessage) => void;
  /** How the reader has rated answers since the page shows them, by uuid. */
  readonly ratings: ReadonlyMap<string, Rating>;
  readonly onRate: (message: TranscriptMessage, rating: Rating) => void;
  /** Opens the menu of a message at a button. */
  readonly onMenu: (message: TranscriptMessage, at: HTMLElement) => void;
  readonly act: (task: () => Promise<unknown>) => void;
}

export const Transcript = createContext<TranscriptContext | null>(null);

export function useTranscript(): TranscriptContext {
  const context = useContext(Transcript);
  if (!context) throw new Error('Not in a transcript.');
  return context;
}
