import type { TranscriptMessage } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { duration } from '../../app/words.ts';
import { Button, ErrorNote } from '../../ui/parts.tsx';
import { useTranscript } from './context.tsx';

interface Props {
  readonly requestId: string | undefined;
  readonly toolUseId: string;
  readonly result: TranscriptMessage;
}

/** What is rarely asked about a call that has ended: how it was decided, and what can be done with its result. Read when it is opened. */
export function Details({ requestId, toolUseId, result }: Props) {
  const { onMenu } = useTranscript();
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="tool-details" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Details</summary>
      {isOpen && requestId !== undefined && <History requestId={requestId} toolUseId={toolUseId} />}
      <Button look="quiet" aria-haspopup="menu" onClick={({ currentTarget }) => onMenu(result, currentTarget)}>
        More about this result
      </Button>
    </details>
  );
}

/** Who allowed it, and how long it ran. Read when the card is opened. */
function History({ requestId, toolUseId }: { readonly requestId: string; readonly toolUseId: string }) {
  const { id } = useTranscript();
  const client = useClient();
  const { data, error } = useLoad(
    async (signal) => {
      const { data: requests } = await client.listRequests({ id }, { signal });
      const turnId = requests.find((one) => one.requestId === requestId)?.turnId;
      if (turnId === undefined) return null;
      const { toolCalls } = await client.getTurn({ id, turnId }, { signal });
      return toolCalls.find((one) => one.toolUseId === toolUseId) ?? null;
    },
    [id, requestId, toolUseId],
  );
  if (!data) return error === null ? null : <ErrorNote error={error} />;
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
