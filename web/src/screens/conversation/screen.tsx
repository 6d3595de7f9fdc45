import type { Display, PromptAnswer, Session, TranscriptMessage } from '@verbatim/client';
import { useMemo, useRef, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { useKeys } from '../../app/keyboard.ts';
import { usePeople } from '../../app/people.ts';
import { visible } from '../../text/plain.tsx';
import { Button, Empty, ErrorNote, Loading } from '../../ui/parts.tsx';
import { Composer, type ComposerHandle } from './composer.tsx';
import { Transcript } from './context.tsx';
import { textOf, transcriptOf } from './items.ts';
import type { Submission } from './pastes.ts';
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
  const { session, messages, draft, turn, queue } = snapshot;
  const client = useClient();
  const action = useAction();
  const composer = useRef<ComposerHandle>(null);
  const [editing, setEditing] = useState<string | null>(null);
  const [display, setDisplay] = useState<Display | null>(null);
  const nameOf = usePeople();
  const transcript = useMemo(() => transcriptOf(messages), [messages]);
  const { run } = action;
  const context = useMemo(
    () => ({
      id: conversation.id,
      conversation,
      results: transcript.results,
      lastPrompt: transcript.lastPrompt,
      canWrite: session !== null && mayWrite(session),
      nameOf,
      act: (task: () => Promise<unknown>) => void run(task),
      onEdit: (message: TranscriptMessage) => {
        setEditing(message.uuid);
        composer.current?.edit(textOf(message));
      },
    }),
    [conversation, transcript, session, nameOf, run, turn],
  );
  useKeys({ '/': () => composer.current?.focus(), Escape: () => void (turn && run(() => conversation.stop())) });

  const submit = async (submission: Submission): Promise<PromptAnswer | null> => {
    let answer: PromptAnswer | null = null;
    const replaces = editing === null ? {} : { replaces: editing };
    await run(async () => {
      answer = await client.submitPrompt({ id: conversation.id, body: { ...submission, ...replaces } });
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
        <QueueView queue={queue} onWithdraw={(promptId) => void run(() => client.withdrawPrompt({ id: conversation.id, promptId }))} />
        {mayWrite(session) ? (
          <Composer
            ref={composer}
            isBusy={turn !== null}
            isEditing={editing !== null}
            onCancelEdit={() => {
              setEditing(null);
              composer.current?.edit('');
            }}
            onStop={() => void run(() => conversation.stop())}
            submit={submit}
          />
        ) : (
          <p className="closed-note">
            {session.erased ? 'The content of this conversation was erased.' : 'This conversation is closed.'}
            {!session.erased && <Button onClick={() => void run(() => client.reopenSession({ id: conversation.id }))}>Reopen</Button>}
          </p>
        )}
      </div>
    </Transcript>
  );
}

const mayWrite = ({ status, erased }: Session): boolean => status !== 'closed' && !erased;

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
