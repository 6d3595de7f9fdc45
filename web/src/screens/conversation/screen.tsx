import type { Display, PromptAnswer, Session, StoredSource, TranscriptMessage } from '@verbatim/client';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { useKeys } from '../../app/keyboard.ts';
import { useSessionPeople } from '../../app/people.ts';
import { shortId } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Button, Empty, ErrorNote, Loading } from '../../ui/parts.tsx';
import { Composer, type ComposerHandle } from './composer.tsx';
import { Transcript } from './context.tsx';
import { textOf, transcriptOf } from './items.ts';
import { MessageMenu } from './message-menu.tsx';
import { pastesOf, type Submission } from './pastes.ts';
import { PresenceLine, usePresence } from './presence.tsx';
import { useRole } from './role.ts';
import { QueueView } from './queue.tsx';
import type { ConversationStore, Snapshot } from './store.ts';
import { TranscriptView } from './transcript.tsx';

interface Props {
  readonly store: ConversationStore;
  readonly snapshot: Snapshot;
}

/** The messages of a session, and the box to write the next one. */
export function ConversationScreen({ store, snapshot }: Props) {
  const { conversation } = store;
  const { session, messages, draft, turn, queue, isLive } = snapshot;
  const { client, me } = useAccount();
  const action = useAction();
  const composer = useRef<ComposerHandle>(null);
  const [editing, setEditing] = useState<string | null>(null);
  const [display, setDisplay] = useState<Display | null>(null);
  const [menu, setMenu] = useState<TranscriptMessage | null>(null);
  const { id } = conversation;
  const speakers = useMemo(() => new Set(messages.flatMap(({ by }) => (by?.kind === 'user' && by.id !== undefined ? [by.id] : []))).size, [messages]);
  const people = useSessionPeople(id, speakers);
  const nameOf = useCallback((userId: string, stored?: string) => visible(people.get(userId) ?? stored ?? shortId(userId)), [people]);
  const others = snapshot.present.filter(({ userId }) => userId !== me.userId);
  const onType = usePresence(conversation, isLive, session !== null && (session.userId !== me.userId || people.size > 1 || others.length > 0), others.length);
  const role = useRole(session, snapshot.grants);
  const mayPrompt = role !== 'viewer';
  const canWrite = session !== null && isOpen(session) && mayPrompt;
  const transcript = useMemo(() => transcriptOf(messages), [messages]);
  const { run } = action;
  const context = useMemo(
    () => ({
      id,
      conversation,
      turn,
      urlOf: (source: StoredSource) => conversation.urlOf(source),
      onMenu: setMenu,
      results: transcript.results,
      lastPrompt: transcript.lastPrompt,
      canWrite,
      nameOf,
      act: (task: () => Promise<unknown>) => void run(task),
      onEdit: (message: TranscriptMessage) => {
        setEditing(message.uuid);
        composer.current?.edit(textOf(message), pastesOf(message));
      },
    }),
    [id, conversation, transcript, canWrite, nameOf, run, turn],
  );
  useKeys({ '/': () => composer.current?.focus(), Escape: () => void (turn && run(() => conversation.stop())) });

  const submit = async (submission: Submission): Promise<PromptAnswer | null> => {
    let answer: PromptAnswer | null = null;
    const replaces = editing === null ? {} : { replaces: editing };
    await run(async () => {
      answer = await client.submitPrompt({ id, body: { ...submission, ...replaces } });
      setDisplay(answer.display ?? null);
      setEditing(null);
    });
    return answer;
  };

  if (session === null) return <Loading what="the conversation" />;
  return (
    <Transcript value={context}>
      {messages.length === 0 && !turn ? (
        <Empty title="A new conversation">
          <p>Write a prompt below. What you write, what the model answers and what it was sent is kept, and can be looked at.</p>
        </Empty>
      ) : (
        <TranscriptView items={transcript.items} draft={draft} isRunning={turn?.status === 'running'} />
      )}
      <div className="below">
        <ErrorNote error={action.error} onClose={action.clear} />
        {display && <DisplayView display={display} onClose={() => setDisplay(null)} />}
        <QueueView queue={queue} onWithdraw={(promptId) => void run(() => client.withdrawPrompt({ id, promptId }))} />
        <PresenceLine others={others} />
        {canWrite ? (
          <Composer
            onType={onType}
            ref={composer}
            isBusy={turn !== null}
            isEditing={editing !== null}
            onCancelEdit={() => {
              setEditing(null);
              composer.current?.edit('', []);
            }}
            onStop={() => void run(() => conversation.stop())}
            submit={submit}
          />
        ) : (
          <p className="closed-note">
            {session.erased
              ? 'The content of this conversation was erased.'
              : mayPrompt
                ? 'This conversation is closed.'
                : 'You may read this conversation. To write in it you need the role editor, which its owner can give you.'}
            {!session.erased && role === 'owner' && <Button onClick={() => void run(() => client.reopenSession({ id }))}>Reopen</Button>}
          </p>
        )}
      </div>
      {menu && <MessageMenu id={id} message={menu} messages={messages} role={role} onClose={() => setMenu(null)} />}
    </Transcript>
  );
}

const isOpen = ({ status, erased }: Session): boolean => status !== 'closed' && !erased;

/** What a slash command answered. */
function DisplayView({ display, onClose }: { readonly display: Display; readonly onClose: () => void }) {
  return (
    <section className="display" aria-label="Answer of the command">
      <Button look="quiet" aria-label="Close this answer" onClick={onClose}>
        ✕
      </Button>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0}>{visible(display.text)}</pre>
    </section>
  );
}
