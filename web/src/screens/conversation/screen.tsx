import {
  type Composition,
  type Display,
  ProblemError,
  type PromptAnswer,
  type Session,
  type StoredSource,
  submissionOf,
  type TranscriptMessage,
} from '@verbatim/client';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { useCommands } from '../../app/commands.ts';
import { useSessionPeople } from '../../app/people.ts';
import { shortId } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Button, Empty, ErrorNote, Loading } from '../../ui/parts.tsx';
import { CompactDialog } from './compact.tsx';
import { Composer, type ComposerHandle, type WhenBusy } from './composer.tsx';
import { type Rating, Transcript } from './context.tsx';
import { useDurations } from './durations.ts';
import { useFileChanges } from './file-changes.ts';
import { transcriptOf } from './items.ts';
import { FilesRewound, RewindDialog, Rewound } from './rewind.tsx';
import { useMoves } from './moves.ts';
import { MessageMenu } from './message-menu.tsx';
import { PresenceLine, usePresence } from './presence.tsx';
import { useRole } from './role.ts';
import { QueueView } from './queue.tsx';
import { SettingsDialog } from '../sessions/settings.tsx';
import { SettingsLine } from './settings-line.tsx';
import type { ConversationStore, Snapshot } from './store.ts';
import { TranscriptView } from './transcript.tsx';

interface Props {
  readonly store: ConversationStore;
  readonly snapshot: Snapshot;
}

/** The messages of a session, and the box to write the next one. */
export function ConversationScreen({ store, snapshot }: Props) {
  const { conversation } = store;
  const { session, draft, turn, queue, isLive } = snapshot;
  const { client, me } = useAccount();
  const action = useAction();
  const composer = useRef<ComposerHandle>(null);
  const [display, setDisplay] = useState<Display | null>(null);
  const [menu, setMenu] = useState<{ readonly message: TranscriptMessage; readonly at: HTMLElement } | null>(null);
  const [ratings, setRatings] = useState<ReadonlyMap<string, Rating>>(new Map());
  const [sent, setSent] = useState(0);
  const [edited, setEdited] = useState<string | null>(null);
  const [isCompacting, setCompacting] = useState(false);
  const [isSettings, setSettings] = useState(false);
  const { id } = conversation;
  // While another branch is read the one before stays: the page does not say that the conversation is empty.
  const shown = useRef(snapshot.messages);
  if (snapshot.messages.length > 0 || session?.head === null) shown.current = snapshot.messages;
  const messages = shown.current;
  const speakers = useMemo(() => new Set(messages.flatMap(({ by }) => (by?.kind === 'user' && by.id !== undefined ? [by.id] : []))).size, [messages]);
  const people = useSessionPeople(id, speakers);
  const nameOf = useCallback((userId: string, stored?: string) => visible(people.get(userId) ?? stored ?? shortId(userId)), [people]);
  const others = snapshot.present.filter(({ userId }) => userId !== me.userId);
  const onType = usePresence(conversation, isLive, session !== null && (session.userId !== me.userId || people.size > 1 || others.length > 0), others.length);
  const role = useRole(session, snapshot.grants);
  const mayPrompt = role !== 'viewer';
  const canWrite = session !== null && isOpen(session) && mayPrompt;
  const transcript = useMemo(() => transcriptOf(messages), [messages]);
  const ended = turn === null ? (session?.head ?? null) : null;
  const durations = useDurations(id, ended);
  const files = useFileChanges(client, id, ended, snapshot.moves);
  const { run } = action;
  // An error that says that a turn runs holds until it has ended.
  const { error: failure, clear } = action;
  useEffect(() => {
    if (turn === null && failure instanceof ProblemError && failure.code === 'session_busy') clear();
  }, [turn, failure, clear]);
  const moves = useMoves({ conversation, snapshot, transcript, canWrite, action, composer, files });
  const context = useMemo(
    () => ({
      id,
      conversation,
      turn,
      urlOf: (source: StoredSource) => conversation.urlOf(source),
      bytesOf: async ({ sha256 }: StoredSource) => (await client.getBlob({ id, sha256 })).blob(),
      onMenu: (message: TranscriptMessage, at: HTMLElement) => setMenu({ message, at }),
      ratings,
      onRate: (message: TranscriptMessage, rating: Rating) => {
        if (message.type !== 'assistant' || message.requestId === undefined) return;
        const { requestId, uuid } = message;
        void run(() => client.createFeedback({ id, body: { requestId, rating } }).then(() => setRatings((before) => new Map(before).set(uuid, rating))));
      },
      results: transcript.results,
      lastPrompt: transcript.lastPrompt,
      failure: transcript.failure,
      canWrite,
      nameOf,
      versions: moves.versions,
      changed: files.turns,
      durations,
      onSwitch: moves.onSwitch,
      switched: moves.switched,
      onRewind: moves.onRewind,
      act: (task: () => Promise<unknown>) => void run(task),
      onEdit: ({ uuid }: TranscriptMessage) =>
        void run(async () => {
          composer.current?.edit(await conversation.edit(uuid), uuid);
          keepInView(uuid);
        }),
    }),
    [
      id,
      client,
      conversation,
      transcript,
      canWrite,
      nameOf,
      ratings,
      run,
      turn,
      files.turns,
      durations,
      moves.versions,
      moves.onSwitch,
      moves.switched,
      moves.onRewind,
    ],
  );
  const isRunning = turn !== null && turn.status !== 'waiting';
  // A turn that waits for a decision is stopped by its button: one Escape too many must not cancel the call.
  const stop = { label: 'Stop the answer', ...(isRunning ? { key: 'Escape' } : {}), run: () => void run(() => conversation.stop()) };
  const compact = { label: 'Compact: go on from a summary', run: () => setCompacting(true) };
  const write = { label: 'Write a prompt', key: '/', run: () => composer.current?.focus() };
  useCommands('This conversation', canWrite ? [write, ...(turn ? [stop] : []), ...(messages.length > 0 ? [compact] : [])] : []);

  const submit = async (composition: Composition, replaces: string | null, whenBusy: WhenBusy): Promise<PromptAnswer | null> => {
    let answer: PromptAnswer | null = null;
    await run(async () => {
      const body = { ...submissionOf(composition), whenBusy, ...(replaces === null ? {} : { replaces }) };
      answer = await client.submitPrompt({ id, body }).catch((error: unknown) => {
        // A server with an older list of time zones than the browser: the date of UTC will do.
        const { timeZone, ...rest } = body;
        if (timeZone !== undefined && isAbout(error, '/timeZone')) return client.submitPrompt({ id, body: rest });
        throw error;
      });
      setDisplay(answer.display ?? null);
      setSent((before) => before + 1);
    });
    return answer;
  };
  const editQueued = async (promptId: string): Promise<void> => {
    const composition = await conversation.edit(promptId);
    await client.withdrawPrompt({ id, promptId });
    composer.current?.edit(composition, null);
  };

  if (session === null) return <Loading what="the conversation" shape="bubbles" />;
  return (
    <Transcript value={context}>
      {messages.length === 0 && session.head !== null && !turn ? (
        <Loading what="the conversation" shape="bubbles" />
      ) : messages.length === 0 && !turn ? (
        <Empty title="A new conversation">
          <p>Write a prompt below. What you write, what the model answers and what it was sent is kept, and can be looked at.</p>
        </Empty>
      ) : (
        <TranscriptView items={transcript.items} draft={draft} isRunning={turn?.status === 'running'} edited={edited} sent={sent} />
      )}
      <div className="below">
        <ErrorNote error={action.error} onClose={action.clear} />
        {display && <DisplayView display={display} onClose={() => setDisplay(null)} />}
        {moves.leftFiles && <FilesRewound id={id} rewind={moves.leftFiles} isBusy={action.isBusy} onUndo={canWrite ? moves.onUndo : null} />}
        {moves.left && <Rewound id={id} branch={moves.left} isBusy={action.isBusy} onUndo={canWrite ? moves.onUndo : null} />}
        <QueueView
          queue={queue}
          onEdit={canWrite ? (promptId) => void run(() => editQueued(promptId)) : null}
          onWithdraw={(promptId) => void run(() => client.withdrawPrompt({ id, promptId }))}
        />
        <PresenceLine others={others} />
        {canWrite ? (
          <Composer
            id={id}
            onType={onType}
            onEdits={setEdited}
            ref={composer}
            isBusy={turn !== null}
            isRunning={isRunning}
            onStop={() => void run(() => conversation.stop())}
            submit={submit}
            settings={<SettingsLine session={session} onOpen={() => setSettings(true)} />}
          />
        ) : (
          <p className="closed-note">
            <span>
              {session.erased
                ? 'The content of this conversation was erased.'
                : mayPrompt
                  ? 'This conversation is closed.'
                  : 'You may read this conversation. To write in it you need the role editor, which its owner can give you.'}
            </span>
            {!session.erased && role === 'owner' && <Button onClick={() => void run(() => client.reopenSession({ id }))}>Reopen</Button>}
          </p>
        )}
      </div>
      {moves.asked && (
        <RewindDialog
          id={id}
          message={moves.asked}
          items={transcript.items}
          hasFiles={files.hasFiles}
          isRunning={turn !== null}
          onClose={moves.onCancel}
          onRewind={moves.rewind}
        />
      )}
      {isSettings && <SettingsDialog id={id} onClose={() => setSettings(false)} />}
      {isCompacting && <CompactDialog id={id} onClose={() => setCompacting(false)} />}
      {menu && <MessageMenu {...menu} id={id} messages={messages} role={role} onClose={() => setMenu(null)} />}
    </Transcript>
  );
}

/** The composer is higher when a prompt is in it, and would cover the message. */
function keepInView(uuid: string): void {
  requestAnimationFrame(() => document.querySelector(`[data-uuid="${uuid}"]`)?.scrollIntoView({ block: 'nearest' }));
}

const isAbout = (error: unknown, pointer: string): boolean => error instanceof ProblemError && error.errors.some((one) => one.pointer === pointer);

const isOpen = ({ status, erased }: Session): boolean => status !== 'closed' && !erased;

/** What a slash command answered. */
function DisplayView({ display, onClose }: { readonly display: Display; readonly onClose: () => void }) {
  return (
    <section className="display" aria-label="Answer of the command">
      <Button look="quiet" aria-label="Close this answer" onClick={onClose}>
        <Icon name="close" />
      </Button>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0}>{visible(display.text)}</pre>
    </section>
  );
}
