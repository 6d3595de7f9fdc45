import type { Client, Rewinds } from '@verbatim/client';
import { useRef } from 'react';
import { useLoad } from '../../app/load.ts';
import { allPages } from '../files/all-pages.ts';

/** What a conversation shows of the files of its folder. */
export interface FileChanges {
  /** Turns that have changed files, by the uuid of their last message. */
  readonly turns: ReadonlyMap<string, string>;
  /** Whether the session has any files to take back. */
  readonly hasFiles: boolean;
  /** The rewind of files alone at the end of the conversation, which can be undone; null: there is none. */
  readonly rewound: Rewinds['data'][number] | null;
}

export const NO_FILES: FileChanges = { turns: new Map(), hasFiles: false, rewound: null };

/** Read again after each turn and each of the conversation's `moves`. `head`: its newest message, while no turn runs; null: nothing new has ended. */
export function useFileChanges(client: Client, id: string, head: string | null, moves: number): FileChanges {
  const known = useRef({ id, changes: NO_FILES });
  const { data } = useLoad(async (signal) => (head === null ? null : await changesIn(client, id, head, signal)), [client, id, head, moves]);
  if (known.current.id !== id) known.current = { id, changes: NO_FILES };
  if (data) known.current = { id, changes: data };
  return known.current.changes;
}

async function changesIn(client: Client, id: string, head: string, signal: AbortSignal): Promise<FileChanges> {
  const versions = await allPages((cursor) => client.listFileVersions({ id, ...cursor }, { signal }));
  if (versions.length === 0) return NO_FILES;
  const { data } = await client.listRewinds({ id }, { signal });
  const last = data.at(-1);
  const isOfFiles = last !== undefined && last.files !== undefined && last.from === last.to;
  return {
    turns: new Map(
      versions.flatMap(({ message, turnId, cause }) => (message === null || turnId === null || cause === 'outside' ? [] : [[message, turnId] as const])),
    ),
    hasFiles: true,
    rewound: isOfFiles && last.restoredAt === null && last.to === head ? last : null,
  };
}
