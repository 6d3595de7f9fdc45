import type { TranscriptMessage } from '@verbatim/client';
import { memo, type ReactNode } from 'react';
import { modelName } from '../../app/words.ts';
import { Output } from '../../text/code.tsx';
import { Plain, visible } from '../../text/plain.tsx';
import { Time } from '../../ui/parts.tsx';
import { Raw, RawBoundary } from '../../ui/raw.tsx';
import { Actions, CardActions, CommandActions, TryAgain } from './actions.tsx';
import { BlockView } from './blocks.tsx';
import { useTranscript } from './context.tsx';
import { ErasedMessage } from './erased-message.tsx';
import { hasActions, type Item } from './items.ts';
import { VersionSwitch } from './version-switch.tsx';

/** A row of the transcript. A kind of message that this page does not know is shown as it is stored. */
export const Message = memo(function Message({ item, isSelected }: { readonly item: Item; readonly isSelected: boolean }) {
  const { message } = item;
  const look = lookOf(message);
  return (
    <article
      className={`message ${look} ${item.isContinued ? 'continued' : ''} ${isSelected ? 'selected' : ''}`}
      data-uuid={message.uuid}
      aria-label={labelOf(message)}
    >
      {message.erased ? (
        <ErasedMessage message={message} />
      ) : (
        <RawBoundary title={String(message.type)} value={message}>
          <Body item={item} />
        </RawBoundary>
      )}
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

function Body({ item }: { readonly item: Item }) {
  const { message } = item;
  switch (message.type) {
    case 'user':
      if (message.isInterruption) return <p className="aside">Interrupted here</p>;
      if (message.isCompactSummary) return <Summary item={item} />;
      return <Prompt message={message} item={item} />;
    case 'assistant':
      return <Answer message={message} item={item} />;
    case 'system':
      return <Notice message={message} />;
    case 'attachment':
      return <Raw title={`Context: ${message.attachment.type}`} value={message.attachment} />;
    case 'tool_use_summary':
      return <Plain text={message.summary} className="aside" />;
    case 'tombstone':
      return <p className="aside">{message.removed.length} messages were removed here</p>;
    default:
      return <Raw title={String((message as { type: unknown }).type)} value={message} />;
  }
}

/** What the model is sent instead of the messages before it. */
function Summary({ item }: { readonly item: Item }) {
  return (
    <details className="summary-card">
      <summary>
        <strong>Summary of the conversation so far</strong> <Time value={item.message.timestamp} />
      </summary>
      <Blocks item={item} isModel />
    </details>
  );
}

type Of<Type extends TranscriptMessage['type']> = Extract<TranscriptMessage, { type: Type }>;

function Prompt({ message, item }: { readonly message: Of<'user'>; readonly item: Item }) {
  const { nameOf } = useTranscript();
  const name = message.by?.kind === 'user' && message.by.id !== undefined ? nameOf(message.by.id, message.speaker) : 'Server';
  return (
    <>
      {item.from === 0 && (
        <header>
          <strong>{name}</strong> <Time value={message.timestamp} />
          {message.rewrittenFrom !== undefined && <span className="aside"> rewritten by a hook</span>}
          <Actions message={message} />
        </header>
      )}
      <div className="bubble">
        <Blocks item={item} />
      </div>
      {item.isLast && message.rewrittenFrom !== undefined && (
        <details className="aside">
          <summary>As it was typed</summary>
          <Plain text={message.rewrittenFrom} />
        </details>
      )}
    </>
  );
}

function Answer({ message, item }: { readonly message: Of<'assistant'>; readonly item: Item }) {
  const { stop_reason, model } = message.message;
  const endsWithCall = item.isLast && !hasActions(item);
  return (
    <>
      {item.from === 0 && !item.isContinued && (
        <header>
          <strong title={model}>{model === '<synthetic>' ? 'Server' : visible(modelName(model)) || 'Answer, as the client sent it'}</strong>{' '}
          <Time value={message.timestamp} />
        </header>
      )}
      <Blocks item={item} isModel requestId={message.requestId} menu={endsWithCall && <CardActions message={message} />} />
      {item.isLast && <TryAgain message={message} />}
      {item.isLast && stop_reason === 'max_tokens' && <p className="aside">The answer reached the limit of its length.</p>}
      {item.isLast && stop_reason === 'refusal' && <p className="aside">The model declined to go on.</p>}
      {endsWithCall ? <VersionSwitch uuid={message.uuid} /> : item.isLast && <Actions message={message} />}
    </>
  );
}

interface BlocksProps {
  readonly item: Item;
  readonly isModel?: boolean;
  readonly requestId?: string | undefined;
  readonly menu?: ReactNode;
}

function Blocks({ item, isModel = false, requestId, menu }: BlocksProps) {
  const { message, blocks, from } = item;
  if (blocks === null) return <Raw title={String(message.type)} value={message} />;
  return blocks.map((block, index) => (
    <RawBoundary key={from + index} title={String(block.type)} value={block}>
      <BlockView block={block} isModel={isModel} requestId={requestId} menu={menu} />
    </RawBoundary>
  ));
}

function Notice({ message }: { readonly message: Of<'system'> }) {
  const [, tag, inner] = /^<([\w-]+)>([\s\S]*)<\/\1>$/.exec(message.content) ?? [];
  const names: Readonly<Record<string, string>> = { 'bash-input': '$', 'bash-stdout': 'Output', 'bash-stderr': 'Errors', 'local-command-stdout': 'Output' };
  if (tag !== undefined && inner !== undefined) {
    return (
      <div className={`terminal ${message.level === 'error' ? 'bad' : ''}`}>
        <span className="terminal-label">{names[tag] ?? tag}</span>
        <Output text={inner === '' ? '(no output)' : inner} />
        {tag === 'bash-input' && <CommandActions message={message} />}
      </div>
    );
  }
  return (
    <div className={`notice ${message.level ?? 'info'}`}>
      <Plain text={message.content} />
      <TryAgain message={message} />
    </div>
  );
}
