import { type Client, ProblemError, type Turn } from '@verbatim/client';
import { useEffect, useRef, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Button, ErrorNote } from '../../ui/parts.tsx';

interface Props {
  readonly id: string;
  readonly onClose: () => void;
}

const WAIT_SECONDS = 30;

const WITHOUT_TURN = {
  queued: 'It waits for the turn that runs. This dialog may be closed.',
  withdrawn: 'The compaction was withdrawn before it began. The conversation is unchanged.',
} as const;

/** Asks for a compaction after it has said what that keeps, and shows how it ends while the dialog is open. */
export function CompactDialog({ id, onClose }: Props) {
  const client = useClient();
  const action = useAction();
  const [instructions, setInstructions] = useState('');
  const [turn, setTurn] = useState<Turn | keyof typeof WITHOUT_TURN | null>(null);
  const closing = useRef(new AbortController());
  useEffect(() => {
    const controller = (closing.current = new AbortController());
    return () => controller.abort();
  }, []);
  const compact = async (): Promise<void> => {
    const { signal } = closing.current;
    const { turnId, disposition } = await client.compactSession({ id, body: { instructions: instructions.trim() || null } });
    if (turnId === undefined) return;
    if (disposition === 'queued' && !signal.aborted) setTurn('queued');
    try {
      for await (const state of statesOf(client, id, turnId, signal)) setTurn(state);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ProblemError && error.code === 'turn_not_found')) throw error;
      setTurn('withdrawn');
    }
  };
  const isAsked = turn === null && !action.isBusy;
  return (
    <Dialog
      title="Compact the conversation"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{isAsked ? 'Cancel' : 'Close'}</Button>
          {turn === null && (
            <Button look="primary" disabled={action.isBusy} onClick={() => void action.run(compact)}>
              Compact
            </Button>
          )}
        </>
      }
    >
      {turn === null && (
        <>
          <p>The model writes a summary of the conversation. After that it is sent the summary and the latest turns, which stay word for word.</p>
          <p className="aside">
            Nothing is deleted: readers keep every message, and a rewind to a prompt before the summary takes the compaction back. It is a turn of its own: it
            waits for the answer that is being written, and counts as usage.
          </p>
          <label>
            What the summary has to keep (may be empty)
            <textarea rows={3} maxLength={20_000} value={instructions} onChange={(event) => setInstructions(event.target.value)} />
          </label>
        </>
      )}
      <p role="status">{turn === null ? '' : typeof turn === 'string' ? WITHOUT_TURN[turn] : outcomeOf(turn)}</p>
      {turn !== null && typeof turn !== 'string' && turn.error && (
        <p className="note bad" role="alert">
          {visible(turn.error.message)}
        </p>
      )}
      <ErrorNote error={action.error} />
    </Dialog>
  );
}

/** The turn each time that it has changed, until it has ended or the reader has left. */
async function* statesOf(client: Client, id: string, turnId: string, signal: AbortSignal): AsyncGenerator<Turn> {
  for (let wait = 0; ; wait = WAIT_SECONDS) {
    const turn = await client.getTurn({ id, turnId, wait }, { signal });
    if (turn.status !== 'queued') yield turn;
    if (turn.endedAt !== null) return;
  }
}

function outcomeOf({ status, stopReason, usage, endedAt }: Turn): string {
  if (endedAt === null) return 'The model writes the summary. This dialog may be closed.';
  if (status === 'completed' && stopReason === 'compacted')
    return `The conversation was compacted: the model continues from a summary of ${plural(usage.outputTokens, 'token')}.`;
  if (stopReason === 'nothing_to_compact') return 'There was nothing to compact: a compaction would keep all turns of the conversation.';
  if (status === 'interrupted') return 'The compaction was stopped. The conversation is unchanged.';
  return 'The conversation was not compacted. It is unchanged, but for a message that says why.';
}
