import type { Conversation, StoredSource, TranscriptMessage, Turn } from '@verbatim/client';
import { createContext, useContext } from 'react';
import type { CallResult } from './items.ts';

/** What the rows of a transcript need of it. */
export interface TranscriptContext {
  readonly id: string;
  /** What acts on it; null: it is only shown, to a reader without an account. */
  readonly conversation: Conversation | null;
  readonly turn: Turn | null;
  /** An object URL of stored bytes. */
  readonly urlOf: (source: StoredSource) => Promise<string>;
  readonly results: ReadonlyMap<string, CallResult>;
  readonly lastPrompt: string | null;
  readonly canWrite: boolean;
  /** The name that is stored with a prompt is used where the user is not known. */
  readonly nameOf: (userId: string, stored?: string) => string;
  readonly onEdit: (message: TranscriptMessage) => void;
  /** Opens the menu of a message. */
  readonly onMenu: (message: TranscriptMessage) => void;
  readonly act: (task: () => Promise<unknown>) => void;
}

export const Transcript = createContext<TranscriptContext | null>(null);

export function useTranscript(): TranscriptContext {
  const context = useContext(Transcript);
  if (!context) throw new Error('Not in a transcript.');
  return context;
}
