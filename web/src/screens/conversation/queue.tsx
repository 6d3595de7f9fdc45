import type { Queue } from '@verbatim/client';
import { plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Button } from '../../ui/parts.tsx';

interface Props {
  readonly queue: Queue['data'];
  /** Null: the user may not. */
  readonly onEdit: ((promptId: string) => void) | null;
  readonly onWithdraw: (promptId: string) => void;
}

/** Prompts that wait for the turn to end. */
export function QueueView({ queue, onEdit, onWithdraw }: Props) {
  if (queue.length === 0) return null;
  return (
    <section className="queue" aria-label="Queue">
      <h2>{plural(queue.length, 'prompt')} in the queue</h2>
      <ol>
        {queue.map(({ promptId, input }) => (
          <li key={promptId}>
            <span>{visible(preview(input))}</span>
            {onEdit && (
              <Button look="quiet" onClick={() => onEdit(promptId)}>
                Edit
              </Button>
            )}
            <Button look="quiet" onClick={() => onWithdraw(promptId)}>
              Withdraw
            </Button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function preview(input: Queue['data'][number]['input']): string {
  if (typeof input === 'string') return input.slice(0, 200);
  return input
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join(' ')
    .slice(0, 200);
}
