import type { Conversation, TranscriptMessage } from '@verbatim/client';
import { createContext, useContext } from 'react';
import type { CallResult } from './items.ts';

/** What the rows of a transcript need of it. */
export interface TranscriptContext {
  readonly id: string;
  readonly conversation: Conversation;
  readonly results: ReadonlyMap<string, CallResult>;
  readonly lastPrompt: string | null;
  readonly canWrite: boolean;
  readonly nameOf: (userId: string) => string;
  readonly onEdit: (message: TranscriptMessage) => void;
  readonly act: (task: () => Promise<unknown>) => void;
}

export const Transcript = createContext<TranscriptContext | null>(null);

export function useTranscript(): TranscriptContext {
  const context = useContext(Transcript);
  if (!context) throw new Error('Not in a transcript.');
  return context;
}
