import type { Conversation, TranscriptMessage } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { Link, navigate } from '../../app/router.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Button, Copy } from '../../ui/parts.tsx';
import { useTranscript } from './context.tsx';
import { textOf } from './items.ts';
import { VersionSwitch } from './version-switch.tsx';

/** What can be done with a message. */
export function Actions({ message }: { readonly message: TranscriptMessage }) {
  const { conversation } = useTranscript();
  return (
    <div className="actions">
      <VersionSwitch uuid={message.uuid} />
      {conversation && <Changes message={message} conversation={conversation} />}
      <Copy text={() => textOf(message)} isIcon />
      {conversation && <More message={message} />}
    </div>
  );
}

/** Of a command that a person ran in the shell. */
export function CommandActions({ message }: { readonly message: TranscriptMessage }) {
  const { canWrite, onEdit, onRewind } = useTranscript();
  return (
    <>
      <VersionSwitch uuid={message.uuid} />
      {canWrite && message.by?.kind === 'user' && (
        <>
          <Act icon="edit" label="Edit" onClick={() => onEdit(message)} />
          <Act icon="rewind" label="Rewind to here" onClick={() => onRewind(message)} />
        </>
      )}
    </>
  );
}

/** At the error with which a conversation ends: its prompt, sent once more. */
export function TryAgain({ message }: { readonly message: TranscriptMessage }) {
  const { conversation, turn, lastPrompt, failure, canWrite } = useTranscript();
  if (!conversation || !canWrite || turn !== null || lastPrompt === null || message.uuid !== failure) return null;
  return <SendAgain prompt={lastPrompt} />;
}

/** Separate, since a reader without an account has no client. */
function SendAgain({ prompt }: { readonly prompt: string }) {
  const { id, act } = useTranscript();
  const client = useClient();
  const [isSending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    setSending(true);
    await client.regenerateAnswer({ id, body: { prompt } }).finally(() => setSending(false));
  };
  return (
    <p className="line">
      <Button disabled={isSending} onClick={() => act(send)}>
        <Icon name="again" /> Try again
      </Button>
      <span className="aside">Sends the prompt again as it was. This attempt stays as another version.</span>
    </p>
  );
}

function Changes({ message, conversation }: { readonly message: TranscriptMessage; readonly conversation: Conversation }) {
  const { id, lastPrompt, canWrite, onEdit, onRewind, act } = useTranscript();
  const client = useClient();
  const [rated, setRated] = useState<string | null>(null);
  const isPrompt = message.type === 'user' && message.by?.kind === 'user';
  const fork = (): void => act(async () => navigate(`/sessions/${(await client.forkSession({ id, body: { at: message.uuid } })).id}`));
  const requestId = message.type === 'assistant' ? message.requestId : undefined;
  const rate = (rating: 'good' | 'bad'): void => {
    if (requestId !== undefined) act(() => client.createFeedback({ id, body: { requestId, rating } }).then(() => setRated(rating)));
  };
  return (
    <>
      {requestId && (
        <Link className="action strong" to={`/sessions/${id}/requests/${requestId}`}>
          <Icon name="sent" /> What was sent
        </Link>
      )}
      {canWrite && isPrompt && <Act icon="edit" label="Edit" onClick={() => onEdit(message)} />}
      {canWrite && isPrompt && message.uuid === lastPrompt && <Act icon="again" label="Regenerate" onClick={() => act(() => conversation.regenerate())} />}
      {canWrite && isPrompt && <Act icon="rewind" label="Rewind to here" onClick={() => onRewind(message)} />}
      {canWrite && <Act icon="fork" label="Fork here" onClick={fork} />}
      {rated !== null && <span className="aside">Rated: {rated}</span>}
      {requestId && rated === null && canWrite && (
        <>
          <Act icon="up" label="Good answer" onClick={() => rate('good')} />
          <Act icon="down" label="Bad answer" onClick={() => rate('bad')} />
        </>
      )}
    </>
  );
}

function More({ message }: { readonly message: TranscriptMessage }) {
  const { onMenu } = useTranscript();
  return <Act icon="more" label="More about this message" onClick={() => onMenu(message)} />;
}

function Act({ icon, label, onClick }: { readonly icon: IconName; readonly label: string; readonly onClick: () => void }) {
  return (
    <button type="button" className="action" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
