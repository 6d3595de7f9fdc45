import { type Branch, type Composition, compositionOf, type Conversation, type TranscriptMessage } from '@verbatim/client';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useCommands } from '../../app/commands.ts';
import { useKeys } from '../../app/keyboard.ts';
import type { Action } from '../../app/load.ts';
import { useQuery } from '../../app/router.tsx';
import type { ComposerHandle } from './composer.tsx';
import type { Switched } from './context.tsx';
import type { FileChanges } from './file-changes.ts';
import { isRewindable, type Transcript } from './items.ts';
import type { Snapshot } from './store.ts';
import { useWays, type Versions } from './versions.ts';

interface Of {
  readonly conversation: Conversation;
  readonly snapshot: Snapshot;
  readonly transcript: Transcript;
  readonly canWrite: boolean;
  readonly action: Action;
  readonly composer: RefObject<ComposerHandle | null>;
  readonly files: FileChanges;
}

/** What a rewind takes back. */
export type Takes = 'messages' | 'files' | 'both';

interface Moves {
  readonly versions: ReadonlyMap<string, Versions>;
  /** What a rewind to the end of the conversation left; null: nothing, or a turn runs. */
  readonly left: Branch | null;
  /** The rewind of files alone that can be undone; null: there is none, or the conversation was rewound, too. */
  readonly leftFiles: FileChanges['rewound'];
  /** The message to rewind to, when the user confirms it. */
  readonly asked: TranscriptMessage | null;
  readonly onRewind: (message: TranscriptMessage) => void;
  readonly onCancel: () => void;
  readonly rewind: (takes: Takes) => void;
  readonly onUndo: () => void;
  readonly onSwitch: (versions: Versions, step: -1 | 1, top: number | null) => void;
  readonly switched: RefObject<Switched | null>;
}

const TAKES: Readonly<Record<Takes, { readonly files?: boolean; readonly messages?: boolean }>> = {
  messages: {},
  files: { files: true, messages: false },
  both: { files: true },
};

/** Rewinds, restores, and switches between versions: the moves of the head of a conversation. */
export function useMoves({ conversation: { id }, snapshot, transcript, canWrite, action, composer, files }: Of): Moves {
  const client = useClient();
  const { session, messages, turn, moves } = snapshot;
  const { run } = action;
  const [selected, setSelected] = useQuery('message');
  const [asked, setAsked] = useState<TranscriptMessage | null>(null);
  // The messages are read first.
  const ways = useWays(client, id, messages.length > 0 || session?.head === null, moves, transcript.lastPrompt);
  const leftFiles = turn === null ? files.rewound : null;
  const left = turn === null && leftFiles === null ? ways.atEnd : null;
  const takenBack = useRef<Composition | null>(null);
  const switched = useRef<Switched | null>(null);
  const coming = useRef<(Omit<Switched, 'uuid'> & { readonly after: string | null; readonly tip: string }) | null>(null);

  const rewind = (takes: Takes): void => {
    setAsked(null);
    void run(async () => {
      const { prompt } = await client.rewindSession({ id, body: { before: asked!.uuid, interrupt: turn !== null, ...TAKES[takes] } });
      if (!prompt) return;
      takenBack.current = compositionOf(prompt);
      composer.current?.edit(takenBack.current, null);
    });
  };
  const onUndo = (): void => {
    if (leftFiles) void run(() => client.restoreRewind({ id, rewindId: leftFiles.id }));
    if (!left) return;
    void run(async () => {
      await client.restoreBranch({ id, tip: left.tip });
      if (takenBack.current) composer.current?.drop(takenBack.current);
    });
  };
  const onSwitch = useCallback(
    ({ after, tips }: Versions, step: -1 | 1, top: number | null): void => {
      const tip = tips[tips.indexOf(null) + step];
      if (!tip) return;
      void run(async () => {
        await client.restoreBranch({ id, tip });
        coming.current = { after, tip, step, top };
      });
    },
    [client, id, run],
  );
  // The message that is another version is known when the branches have been read again: it is selected, and with that scrolled to.
  useEffect(() => {
    const of = coming.current;
    const [uuid] = (of && [...ways.at].find(([, { after, tips }]) => after === of.after && !tips.includes(of.tip))) ?? [];
    if (!of || uuid === undefined) return;
    coming.current = null;
    switched.current = { uuid, step: of.step, top: of.top };
    setSelected(uuid);
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [ways]);

  const change = (step: -1 | 1): void => {
    const at = selected === null ? undefined : ways.at.get(selected);
    const newest = transcript.items.findLast(({ message: { uuid } }) => ways.at.has(uuid));
    const of = at ?? (newest && ways.at.get(newest.message.uuid));
    if (of && canWrite && turn === null) onSwitch(of, step, null);
  };
  const ask = (): void => {
    const [uuid = null] = selected?.split('/') ?? [];
    const { items, lastPrompt } = transcript;
    const messageOf = (wanted: string | null) => items.find(({ message }) => message.uuid === wanted && isRewindable(message))?.message;
    setAsked(messageOf(uuid) ?? messageOf(lastPrompt) ?? null);
  };
  useKeys({ h: () => change(-1), l: () => change(1) });
  useCommands('This conversation', [
    ...(canWrite && messages.length > 0 ? [{ label: 'Rewind to the selected prompt, or the newest', key: 'w', run: ask }] : []),
    ...(canWrite && (left || leftFiles) ? [{ label: 'Undo the rewind', key: 'u', run: onUndo }] : []),
  ]);
  return { versions: ways.at, left, leftFiles, asked, onRewind: setAsked, onCancel: () => setAsked(null), rewind, onUndo, onSwitch, switched };
}
