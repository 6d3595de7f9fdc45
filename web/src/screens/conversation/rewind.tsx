import type { Branch, Rewinds, TranscriptMessage } from '@verbatim/client';
import { useEffect, useRef, useState } from 'react';
import { Lazy } from '../../app/lazy.tsx';
import { Link } from '../../app/router.tsx';
import { plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Button, Time } from '../../ui/parts.tsx';
import type { Item } from './items.ts';
import type { Takes } from './moves.ts';

const RewindFiles = Lazy(async () => (await import('../files/rewind-files.tsx')).RewindFiles);

interface Props {
  readonly id: string;
  readonly message: TranscriptMessage;
  readonly items: readonly Item[];
  /** Whether the session has files that can go back, too. */
  readonly hasFiles: boolean;
  readonly isRunning: boolean;
  readonly onClose: () => void;
  readonly onRewind: (takes: Takes) => void;
}

/** Says what leaves the view, and which files change, before a rewind to before `message`. */
export function RewindDialog({ id, message, items, hasFiles, isRunning, onClose, onRewind }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const [takes, setTakes] = useState<Takes>('messages');
  useEffect(() => button.current?.focus(), []);
  return (
    <Dialog
      title="Rewind to here"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button ref={button} look="primary" onClick={() => onRewind(takes)}>
            Rewind
          </Button>
        </>
      }
    >
      {hasFiles && <RewindFiles id={id} message={message.uuid} takes={takes} onTake={setTakes} />}
      {takes !== 'files' && <p>{leaving(message, items)}</p>}
      {takes === 'messages' && <p className="aside">Files that tools have changed stay as they are.</p>}
      {isRunning && <p>The answer that is being written is stopped first.</p>}
      <p className="aside">
        {takes === 'files'
          ? 'Nothing is deleted: the files can be restored. The conversation stays as it is.'
          : 'Nothing is deleted: it stays as a branch and can be restored. The prompt comes back to the box, to be sent in another wording.'}
      </p>
    </Dialog>
  );
}

/** `4 messages leave the view: 2 prompts and 2 answers.` */
function leaving({ uuid }: TranscriptMessage, items: readonly Item[]): string {
  const rows = items.slice(items.findIndex(({ message }) => message.uuid === uuid)).filter(({ isLast }) => isLast);
  const prompts = rows.filter(({ message: { type, by } }) => type === 'user' && by?.kind === 'user').length;
  const answers = rows.filter(({ message: { type } }) => type === 'assistant').length;
  const rest = rows.length - prompts - answers;
  const kinds = [
    ...(prompts > 0 ? [plural(prompts, 'prompt')] : []),
    ...(answers > 0 ? [plural(answers, 'answer')] : []),
    ...(rest > 0 ? [plural(rest, 'other')] : []),
  ];
  const whole = `${plural(rows.length, 'message')} ${rows.length === 1 ? 'leaves' : 'leave'} the view`;
  if (prompts + answers === 0) return `${whole}.`;
  const words = kinds.length > 1 ? `${kinds.slice(0, -1).join(', ')} and ${kinds.at(-1)}` : kinds[0];
  return `${whole}: ${words}.`;
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
        The conversation {left?.files ? 'and its files were' : 'was'} rewound to here
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

interface FilesRewoundProps {
  readonly id: string;
  readonly rewind: Rewinds['data'][number];
  readonly isBusy: boolean;
  readonly onUndo: (() => void) | null;
}

/** At the end of a conversation whose files alone went back: the way forward. */
export function FilesRewound({ id, rewind, isBusy, onUndo }: FilesRewoundProps) {
  return (
    <p className="rewound" role="status">
      <span className="rewound-text">
        The files were taken back, <Time value={rewind.at} />. <span className="aside">The conversation was not.</span>
      </span>
      <Link to={`/sessions/${id}/files`}>Files</Link>
      {onUndo && (
        <Button disabled={isBusy} onClick={onUndo} title="Key u">
          Undo
        </Button>
      )}
    </p>
  );
}
