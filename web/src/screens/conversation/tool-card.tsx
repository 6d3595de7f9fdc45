import type { ToolCall, ToolResultBlock, ToolUseBlock } from '@verbatim/client';
import { type ComponentType, type ReactNode, useState } from 'react';
import { CANCELLED, OUTCOME_UNKNOWN, REJECTED_WITH_FEEDBACK, RESULT_MISSING } from '../../../../packages/protocol/message/wire-texts.ts';
import { AGENT_TOOL } from '../../../../packages/protocol/message/tool-definition.ts';
import { Lazy } from '../../app/lazy.tsx';
import { visible } from '../../text/plain.tsx';
import { Badge, Loading } from '../../ui/parts.tsx';
import { briefOf } from './brief-call.ts';
import { useTranscript } from './context.tsx';
import { HelperOf, helperIn } from './helper.tsx';
import { ClientResult, Decision } from './tool-decision.tsx';
import { Details } from './tool-details.tsx';

interface Props {
  readonly call: ToolUseBlock;
  readonly requestId?: string | undefined;
  readonly isDraft: boolean;
  readonly menu?: ReactNode;
  /** Shows the content of a result. */
  readonly Content: ComponentType<{ readonly content: ToolResultBlock['content'] }>;
}

/** A call that waits for a decision is not empty while its view is fetched. */
const MEANWHILE = <Loading what="the input" shape="lines" />;
const WriteChange = Lazy(async () => (await import('./tool-views/write-change.tsx')).WriteChange, MEANWHILE);
const InputView = Lazy(async () => (await import('./tool-views/input.tsx')).InputView, MEANWHILE);

/** Longest part of a name that is shown. */
const NAME = 200;

/** A tool call with its result, folded; open while a person has to decide about it. */
export function ToolCard({ call, requestId, isDraft, menu, Content }: Props) {
  const { id, results, turn, conversation } = useTranscript();
  const result = results.get(call.id);
  const running = turn?.toolCalls.find(({ toolUseId }) => toolUseId === call.id);
  const isAsked = running?.status === 'awaiting_decision' || running?.status === 'awaiting_client';
  const [isOpen, setOpen] = useState<boolean | null>(null);
  const open = isOpen ?? isAsked;
  const ending = result ? endingOf(result.block) : null;
  const helper = running?.helper ?? (call.name === AGENT_TOOL && result ? helperIn(result.message) : null);
  return (
    <div role="group" className={`tool ${isAsked ? 'asked' : ''}`} aria-label={`Tool call ${call.name}`}>
      <button type="button" className="tool-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className={`caret ${open ? 'open' : ''}`} aria-hidden="true" />
        <strong>{visible(call.name.slice(0, NAME))}</strong>
        <span className="tool-brief">{!open && visible(briefOf(call.input))}</span>
        {ending === null ? (
          <State call={running} isDraft={isDraft} isError={result?.block.is_error} hasResult={result !== undefined} />
        ) : (
          <Badge tone="warn">{ending}</Badge>
        )}
      </button>
      {menu}
      {open && (
        <div className="tool-body">
          {call.name === 'Write' && running?.status === 'awaiting_decision' && conversation ? (
            <WriteChange id={id} input={running.input} />
          ) : (
            <InputView name={call.name} input={running?.input ?? call.input} />
          )}
          {result && (
            <>
              <p className={`tool-label ${result.block.is_error && ending === null ? 'hidden' : ''}`}>
                {ending === null ? (result.block.is_error ? 'Error' : 'Result') : 'Told to the model'}
              </p>
              <div className={`tool-result ${result.block.is_error && ending === null ? 'bad' : ''}`}>
                <Content content={result.block.content} />
              </div>
            </>
          )}
          {conversation && result && <Details requestId={requestId} toolUseId={call.id} result={result.message} />}
        </div>
      )}
      {conversation && helper !== null && (open || running?.status === 'awaiting_helper') && (
        <HelperOf helper={helper} isOpen={running?.status === 'awaiting_helper'} />
      )}
      {running?.status === 'awaiting_decision' && <Decision key={running.toolUseId} call={running} />}
      {running?.status === 'awaiting_client' && <ClientResult call={running} />}
    </div>
  );
}

/** How the results begin that stand for a call that did not run to its end: nothing failed. The texts are part of the stored format. */
const ENDINGS: readonly (readonly [beginning: string, word: string])[] = [
  [REJECTED_WITH_FEEDBACK.slice(0, REJECTED_WITH_FEEDBACK.indexOf('.')), 'denied'],
  [CANCELLED.slice(0, CANCELLED.indexOf('.')), 'cancelled'],
  [RESULT_MISSING, 'result lost'],
  [OUTCOME_UNKNOWN.slice(0, OUTCOME_UNKNOWN.indexOf(':')), 'outcome unknown'],
];

function endingOf({ content, is_error: isError }: ToolResultBlock): string | null {
  const first = typeof content === 'string' ? content : content?.[0]?.type === 'text' ? content[0].text : '';
  return (isError && ENDINGS.find(([beginning]) => first.startsWith(beginning))?.[1]) || null;
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
  if (call?.status === 'awaiting_helper') return <Badge tone="live">a helper works</Badge>;
  if (call) return <Badge tone="live">{call.status}</Badge>;
  return <Badge tone="muted">no result</Badge>;
}
