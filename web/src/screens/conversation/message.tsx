import type { TranscriptMessage } from '@verbatim/client';
import { memo, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { Link, navigate } from '../../app/router.tsx';
import { Plain } from '../../text/plain.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Copy, Json, Time } from '../../ui/parts.tsx';
import { BlockView } from './blocks.tsx';
import { useTranscript } from './context.tsx';
import { blocksOf, type Item, textOf } from './items.ts';

/** A row of the transcript. A kind of message that this page does not know is shown as it is stored. */
export const Message = memo(function Message({ item: { message }, isSelected }: { readonly item: Item; readonly isSelected: boolean }) {
  const look = lookOf(message);
  return (
    <article className={`message ${look} ${isSelected ? 'selected' : ''}`} data-uuid={message.uuid} aria-label={labelOf(message)}>
      {message.erased ? <p className="aside">The content of this message was erased.</p> : <Body message={message} />}
    </article>
  );
});

function lookOf(message: TranscriptMessage): string {
  if (message.type === 'user') return message.isInterruption ? 'note-row' : message.by?.kind === 'user' ? 'prompt' : 'given';
  if (message.type === 'assistant') return message.isApiErrorMessage ? 'failed' : 'answer';
  return 'note-row';
}

function labelOf(message: TranscriptMessage): string {
  const names: Readonly<Record<string, string>> = { prompt: 'Prompt', answer: 'Answer', given: 'Result', failed: 'Error of the model' };
  return names[lookOf(message)] ?? 'Notice';
}

function Body({ message }: { readonly message: TranscriptMessage }) {
  switch (message.type) {
    case 'user':
      if (message.isInterruption) return <p className="aside">Interrupted here</p>;
      return <Prompt message={message} />;
    case 'assistant':
      return <Answer message={message} />;
    case 'system':
      return <Notice message={message} />;
    case 'attachment':
      return <Folded title={`Context: ${message.attachment.type.replaceAll('_', ' ')}`} value={message.attachment} />;
    case 'tool_use_summary':
      return <Plain text={message.summary} className="aside" />;
    case 'tombstone':
      return <p className="aside">{message.removed.length} messages were removed here</p>;
    default:
      return <Folded title={String((message as { type: unknown }).type)} value={message} />;
  }
}

function Prompt({ message }: { readonly message: Extract<TranscriptMessage, { type: 'user' }> }) {
  const { nameOf } = useTranscript();
  const name = message.by?.kind === 'user' && message.by.id !== undefined ? nameOf(message.by.id) : 'Server';
  return (
    <>
      <header>
        <strong>{name}</strong> <Time value={message.timestamp} />
        {message.rewrittenFrom !== undefined && <span className="aside"> rewritten by a hook</span>}
        <Actions message={message} />
      </header>
      <div className="bubble">
        {blocksOf(message).map((block, index) => (
          <BlockView key={index} block={block} />
        ))}
      </div>
      {message.rewrittenFrom !== undefined && (
        <details className="aside">
          <summary>As it was typed</summary>
          <Plain text={message.rewrittenFrom} />
        </details>
      )}
    </>
  );
}

function Answer({ message }: { readonly message: Extract<TranscriptMessage, { type: 'assistant' }> }) {
  const { content, stop_reason, model } = message.message;
  return (
    <>
      <header>
        <strong>{model === '<synthetic>' ? 'Server' : model}</strong> <Time value={message.timestamp} />
        <Actions message={message} />
      </header>
      {content.map((block, index) => (
        <BlockView key={index} block={block} isModel requestId={message.requestId} />
      ))}
      {stop_reason === 'max_tokens' && <p className="aside">The answer reached the limit of its length.</p>}
      {stop_reason === 'refusal' && <p className="aside">The model declined to go on.</p>}
    </>
  );
}

function Notice({ message }: { readonly message: Extract<TranscriptMessage, { type: 'system' }> }) {
  const [, tag, inner] = /^<([\w-]+)>([\s\S]*)<\/\1>$/.exec(message.content) ?? [];
  const names: Readonly<Record<string, string>> = { 'bash-input': '$', 'bash-stdout': 'Output', 'bash-stderr': 'Errors', 'local-command-stdout': 'Output' };
  if (tag !== undefined && inner !== undefined) {
    return (
      <div className={`terminal ${message.level === 'error' ? 'bad' : ''}`}>
        <span className="terminal-label">{names[tag] ?? tag}</span>
        <Plain text={inner === '' ? '(no output)' : inner} className="mono" />
      </div>
    );
  }
  return (
    <div className={`notice ${message.level ?? 'info'}`}>
      <Plain text={message.content} />
    </div>
  );
}

function Folded({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <details className="unknown">
      <summary>{title}</summary>
      <Json value={value} label={title} />
    </details>
  );
}

function Actions({ message }: { readonly message: TranscriptMessage }) {
  const { id, conversation, lastPrompt, canWrite, onEdit, act } = useTranscript();
  const client = useClient();
  const [rated, setRated] = useState<string | null>(null);
  const isPrompt = message.type === 'user' && message.by?.kind === 'user';
  const fork = (): void => act(async () => navigate(`/sessions/${(await client.forkSession({ id, body: { at: message.uuid } })).id}`));
  const requestId = message.type === 'assistant' ? message.requestId : undefined;
  const rate = (rating: 'good' | 'bad'): void => {
    if (requestId !== undefined) act(() => client.createFeedback({ id, body: { requestId, rating } }).then(() => setRated(rating)));
  };
  return (
    <div className="actions">
      {requestId && (
        <Link className="action strong" to={`/sessions/${id}/requests/${requestId}`}>
          <Icon name="sent" /> What was sent
        </Link>
      )}
      {canWrite && isPrompt && <Act icon="edit" label="Edit" onClick={() => onEdit(message)} />}
      {canWrite && isPrompt && message.uuid === lastPrompt && <Act icon="again" label="Regenerate" onClick={() => act(() => conversation.regenerate())} />}
      {canWrite && <Act icon="fork" label="Fork here" onClick={fork} />}
      <Copy text={() => textOf(message)} isIcon />
      {rated !== null && <span className="aside">Rated: {rated}</span>}
      {requestId && rated === null && canWrite && (
        <>
          <Act icon="up" label="Good answer" onClick={() => rate('good')} />
          <Act icon="down" label="Bad answer" onClick={() => rate('bad')} />
        </>
      )}
    </div>
  );
}

function Act({ icon, label, onClick }: { readonly icon: IconName; readonly label: string; readonly onClick: () => void }) {
  return (
    <button type="button" className="action" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
