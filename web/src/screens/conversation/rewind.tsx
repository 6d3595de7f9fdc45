import type { Branch, TranscriptMessage } from '@verbatim/client';
import { useEffect, useRef } from 'react';
import { Link } from '../../app/router.tsx';
import { plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Button, Time } from '../../ui/parts.tsx';
import type { Item } from './items.ts';

interface Props {
  readonly message: TranscriptMessage;
  readonly items: readonly Item[];
  readonly isRunning: boolean;
  readonly onClose: () => void;
  readonly onRewind: () => void;
}

/** Says what leaves the view, before a rewind to before `message`. */
export function RewindDialog({ message, items, isRunning, onClose, onRewind }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <Dialog
      title="Rewind to here"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button ref={button} look="primary" onClick={onRewind}>
            Rewind
          </Button>
        </>
      }
    >
      <p>{takes(message, items)}</p>
      {isRunning && <p>The answer that is being written is stopped first.</p>}
      <p className="aside">
        Nothing is deleted: it stays as a branch and can be restored. The prompt comes back to the box, to be sent in another wording. Files that tools have
        changed stay as they are.
      </p>
    </Dialog>
  );
}

/** `4 messages leave the view: 2 prompts and 2 answers.` */
function takes({ uuid }: TranscriptMessage, items: readonly Item[]): string {
  const leaving = items.slice(items.findIndex(({ message }) => message.uuid === uuid)).filter(({ isLast }) => isLast);
  const prompts = leaving.filter(({ message: { type, by } }) => type === 'user' && by?.kind === 'user').length;
  const answers = leaving.filter(({ message: { type } }) => type === 'assistant').length;
  const rest = leaving.length - prompts - answers;
  const kinds = [
    ...(prompts > 0 ? [plural(prompts, 'prompt')] : []),
    ...(answers > 0 ? [plural(answers, 'answer')] : []),
    ...(rest > 0 ? [plural(rest, 'other')] : []),
  ];
  const words = kinds.length > 1 ? `${kinds.slice(0, -1).join(', ')} and ${kinds.at(-1)}` : kinds[0];
  return `${plural(leaving.length, 'message')} ${leaving.length === 1 ? 'leaves' : 'leave'} the view: ${words}.`;
}

interface RewoundProps {
  readonly id: string;
  readonly branch: Branch;
  readonly isBusy: boolean;
  readonly onUndo: (() => void) | null;
}

/** At the end of a conversation that was rewound to there: the way back. */
export function Rewound({ id, branch: { first, left }, isBusy, onUndo }: RewoundProps) {
  return (
    <p className="rewound" role="status">
      <span className="rewound-text">
        The conversation was rewound to here
        {left && (
          <>
            , <Time value={left.at} />
          </>
        )}
        .{first && <span className="aside"> Left: {visible(first.preview)}</span>}
      </span>
      <Link to={`/sessions/${id}/branches`}>Branches</Link>
      {onUndo && (
        <Button disabled={isBusy} onClick={onUndo} title="Key u">
          Undo
        </Button>
      )}
    </p>
  );
}
