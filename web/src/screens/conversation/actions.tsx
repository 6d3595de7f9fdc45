import type { TranscriptMessage } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { Link } from '../../app/router.tsx';
import { duration } from '../../app/words.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Button, Copy } from '../../ui/parts.tsx';
import { useTranscript } from './context.tsx';
import { contentOf, isCall, textOf } from './items.ts';
import { requestOf, useMessageActions } from './message-actions.ts';
import { FilesOf } from './turn-files.tsx';
import { VersionSwitch } from './version-switch.tsx';

/** States of a call that waits for a person or a client. */
const WAITING: ReadonlySet<string> = new Set(['awaiting_decision', 'awaiting_client']);

/** Whether a person or a client has to decide about one of its calls. */
function useIsWaiting(message: TranscriptMessage): boolean {
  const { turn } = useTranscript();
  const calls = contentOf(message)?.filter(isCall) ?? [];
  return turn?.toolCalls.some(({ status, toolUseId }) => WAITING.has(status) && calls.some(({ id }) => id === toolUseId)) === true;
}

/** What can be done with a message; nothing yet while a person has to decide about one of its calls. */
export function Actions({ message }: { readonly message: TranscriptMessage }) {
  const { conversation } = useTranscript();
  if (useIsWaiting(message)) return <VersionSwitch uuid={message.uuid} />;
  return (
    <div className="actions">
      <VersionSwitch uuid={message.uuid} />
      {conversation && <Changes message={message} />}
      <Copy text={() => textOf(message)} isIcon />
      {conversation && <More message={message} />}
      {message.type === 'assistant' && <FilesOf uuid={message.uuid} />}
      <TurnEnd uuid={message.uuid} />
    </div>
  );
}

/** Of an answer that ends with a call: in the head of its card. The rest is in the menu. */
export function CardActions({ message }: { readonly message: TranscriptMessage }) {
  const { conversation } = useTranscript();
  const isWaiting = useIsWaiting(message);
  return conversation && !isWaiting && <More message={message} />;
}

/** How long the turn took that ends with this message. */
function TurnEnd({ uuid }: { readonly uuid: string }) {
  const ms = useTranscript().durations.get(uuid);
  return ms === undefined ? null : (
    <span className="turn-end" title={`The turn took ${duration(ms)}.`}>
      <span className="hidden">The turn took </span>
      {duration(ms)}
    </span>
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
    <div className="again">
      <p className="line">
        <Button disabled={isSending} onClick={() => act(send)}>
          <Icon name="again" /> Try again
        </Button>
        <Link className="action strong" to={`/sessions/${id}/requests`}>
          <Icon name="sent" /> What was sent
        </Link>
      </p>
      <p className="aside">The prompt is sent again as it was. This attempt stays, as another version.</p>
    </div>
  );
}

function Changes({ message }: { readonly message: TranscriptMessage }) {
  const { id, ratings } = useTranscript();
  const actions = useMessageActions(message);
  const request = requestOf(id, message);
  const rated = ratings.get(message.uuid);
  return (
    <>
      {request !== null && (
        <Link className="action strong" to={request}>
          <Icon name="sent" /> What was sent
        </Link>
      )}
      {rated !== undefined && <span className="aside">Rated: {rated}</span>}
      {actions.map(({ icon, label, run }) => (
        <Act key={label} icon={icon} label={label} onClick={run} />
      ))}
    </>
  );
}

function More({ message }: { readonly message: TranscriptMessage }) {
  const { onMenu } = useTranscript();
  return (
    <button
      type="button"
      className="action more"
      aria-label="More about this message"
      aria-haspopup="menu"
      title="More"
      onClick={({ currentTarget }) => onMenu(message, currentTarget)}
    >
      <Icon name="more" />
    </button>
  );
}

function Act({ icon, label, onClick }: { readonly icon: IconName; readonly label: string; readonly onClick: () => void }) {
  return (
    <button type="button" className="action" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
