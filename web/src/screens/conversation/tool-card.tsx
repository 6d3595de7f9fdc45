import type { ToolCall, ToolResultBlock, ToolUseBlock } from '@verbatim/client';
import { type ComponentType, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { duration } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Badge, Button, Json } from '../../ui/parts.tsx';
import { useTranscript } from './context.tsx';

interface Props {
  readonly call: ToolUseBlock;
  readonly requestId?: string | undefined;
  readonly isDraft: boolean;
  /** Shows the content of a result. */
  readonly Content: ComponentType<{ readonly content: ToolResultBlock['content'] }>;
}

/** Longest part of a name that is shown. */
const NAME = 200;

/** A tool call with its result, folded; open while a person has to decide about it. */
export function ToolCard({ call, requestId, isDraft, Content }: Props) {
  const { results, turn, conversation, onMenu } = useTranscript();
  const result = results.get(call.id);
  const running = turn?.toolCalls.find(({ toolUseId }) => toolUseId === call.id);
  const isAsked = running?.status === 'awaiting_decision' || running?.status === 'awaiting_client';
  const [isOpen, setOpen] = useState<boolean | null>(null);
  const open = isOpen ?? isAsked;
  return (
    <div role="group" className={`tool ${isAsked ? 'asked' : ''}`} aria-label={`Tool call ${call.name}`}>
      <button type="button" className="tool-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className={`caret ${open ? 'open' : ''}`} aria-hidden="true" />
        <strong>{visible(call.name.slice(0, NAME))}</strong>
        <span className="tool-brief">{visible(brief(call.input))}</span>
        <State call={running} isDraft={isDraft} isError={result?.block.is_error} hasResult={result !== undefined} />
      </button>
      {running?.status === 'awaiting_decision' && <Decision call={running} />}
      {running?.status === 'awaiting_client' && <ClientResult call={running} />}
      {open && (
        <div className="tool-body">
          <p className="tool-label">Input</p>
          <Json value={running?.input ?? call.input} label="Input" />
          {result && (
            <>
              <p className="tool-label">{result.block.is_error ? 'Error' : 'Result'}</p>
              <Content content={result.block.content} />
            </>
          )}
          {conversation && result && (
            <p>
              <Button look="quiet" onClick={() => onMenu(result.message)}>
                More about this result
              </Button>
            </p>
          )}
          {conversation && requestId && result && <History requestId={requestId} toolUseId={call.id} />}
        </div>
      )}
    </div>
  );
}

function State({
  call,
  isDraft,
  isError,
  hasResult,
}: {
  readonly call: ToolCall | undefined;
  readonly isDraft: boolean;
  readonly isError: boolean | undefined;
  readonly hasResult: boolean;
}) {
  if (isDraft) return <Badge tone="live">writing</Badge>;
  if (hasResult) return isError ? <Badge tone="bad">failed</Badge> : <Badge tone="good">done</Badge>;
  if (call?.status === 'awaiting_decision') return <Badge tone="warn">needs your decision</Badge>;
  if (call?.status === 'awaiting_client') return <Badge tone="warn">waits for a client</Badge>;
  if (call) return <Badge tone="live">{call.status}</Badge>;
  return <Badge tone="muted">no result</Badge>;
}

function Decision({ call }: { readonly call: ToolCall }) {
  const { id, act, canWrite } = useTranscript();
  const client = useClient();
  const [feedback, setFeedback] = useState('');
  const decide = (decision: 'allow' | 'reject'): void =>
    act(() =>
      client.decideToolCall({
        id,
        body: { toolUseId: call.toolUseId, decision, ...(decision === 'reject' && feedback.trim() !== '' ? { feedback: feedback.trim() } : {}) },
      }),
    );
  if (!canWrite) return <p className="aside">Someone who may write in this conversation has to decide.</p>;
  return (
    <div className="decision">
      {call.reason && <p>{call.reason}</p>}
      <input
        value={feedback}
        onChange={(event) => setFeedback(event.target.value)}
        placeholder="What to do instead (told to the model when you deny)"
        aria-label="What to do instead"
      />
      <Button look="primary" onClick={() => decide('allow')}>
        Approve
      </Button>
      <Button look="danger" onClick={() => decide('reject')}>
        Deny
      </Button>
    </div>
  );
}

/** Of a tool that the client runs: a person can be the client. */
function ClientResult({ call }: { readonly call: ToolCall }) {
  const { id, act, canWrite } = useTranscript();
  const client = useClient();
  const [text, setText] = useState('');
  const submit = (): void => act(() => client.submitToolResults({ id, body: { results: [{ toolUseId: call.toolUseId, content: text }] } }));
  if (!canWrite) return null;
  return (
    <div className="decision">
      <p>A client runs this tool. If there is none, write its result.</p>
      <input value={text} onChange={(event) => setText(event.target.value)} placeholder="Result" aria-label="Result of the tool" />
      <Button look="primary" onClick={submit} disabled={text === ''}>
        Submit the result
      </Button>
    </div>
  );
}

/** Who allowed it, and how long it ran. Read when the card is opened. */
function History({ requestId, toolUseId }: { readonly requestId: string; readonly toolUseId: string }) {
  const { id } = useTranscript();
  const client = useClient();
  const { data } = useLoad(
    async (signal) => {
      const { data: requests } = await client.listRequests({ id }, { signal });
      const turnId = requests.find((one) => one.requestId === requestId)?.turnId;
      if (turnId === undefined) return null;
      const { toolCalls } = await client.getTurn({ id, turnId }, { signal });
      return toolCalls.find((one) => one.toolUseId === toolUseId) ?? null;
    },
    [id, requestId, toolUseId],
  );
  if (!data) return null;
  const { decision, decidedBy, reason, durationMs, requestedInput, outcome } = data;
  const by =
    decidedBy === null
      ? ''
      : ` by ${Object.values(decidedBy)
          .filter((one) => typeof one === 'string')
          .join(' ')}`;
  return (
    <p className="aside">
      {decision && `Decided: ${decision}${by}. `}
      {reason && `${reason} `}
      {durationMs !== null && `Ran for ${duration(durationMs)}. `}
      {outcome && outcome !== 'finished' && `Outcome: ${outcome}. `}
      {requestedInput !== undefined && 'Its input was changed after the model wrote it.'}
    </p>
  );
}

/** The first text of the input, on one line. */
function brief(input: unknown): string {
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [input];
  const first = values.find((value) => typeof value === 'string' && value !== '') ?? values[0];
  const text = typeof first === 'string' ? first : (JSON.stringify(first) ?? '');
  return text.slice(0, 200).replace(/\s+/g, ' ');
}
