import type { Client, SessionListItem } from '@verbatim/client';
import { useAccount } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { count } from '../../app/words.ts';
import { Button, ErrorNote } from '../../ui/parts.tsx';
import { FolderForm, moveTo } from './folder-form.tsx';

interface Props {
  readonly rows: readonly SessionListItem[];
  readonly isPinned: (id: string) => boolean;
  /** Selects all that are listed. */
  readonly onAll: () => void;
  /** Names that there are. */
  readonly folders: readonly string[];
  /** Nothing is selected any more. */
  readonly onEnd: () => void;
  /** Those that are left to do stay selected. */
  readonly onDone: (ids: readonly string[]) => void;
  readonly onChanged: () => void;
}

type Task = (client: Client, row: SessionListItem) => Promise<unknown>;

const pin: Task = (client, { id }) => client.pinSession({ id });
const unpin: Task = (client, { id }) => client.unpinSession({ id });
const archive: Task = (client, { id, archived }) => client.updateSession({ id, body: { archived: !archived } });
const close: Task = (client, { id, status }) => (status === 'closed' ? Promise.resolve() : client.closeSession({ id }));

/** What can be done with several conversations, one after the other; the first that fails stays selected, with those after it. */
export function BulkBar({ rows, isPinned, folders, onAll, onEnd, onDone, onChanged }: Props) {
  const { client } = useAccount();
  const action = useAction();
  const all = async (task: Task): Promise<void> => {
    const done: string[] = [];
    const isDone = await action.run(async () => {
      for (const row of rows) {
        await task(client, row);
        done.push(row.id);
      }
    });
    onDone(done);
    onChanged();
    if (isDone) onEnd();
  };
  const button = (label: string, task: Task) => (
    <Button disabled={action.isBusy || rows.length === 0} onClick={() => void all(task)}>
      {label}
    </Button>
  );
  return (
    <section className="bulk" aria-label="Selected conversations">
      <div className="bar">
        <strong role="status">{count(rows.length)} selected</strong>
        <span className="spacer" />
        <Button look="quiet" onClick={onAll}>
          Select all
        </Button>
        <Button onClick={onEnd}>Done</Button>
      </div>
      <div className="bar">
        {rows.length > 0 && rows.every(({ id }) => isPinned(id)) ? button('Unpin', unpin) : button('Pin', pin)}
        {button(rows[0]?.archived ? 'Back to the list' : 'Archive', archive)}
        {button('Close', close)}
      </div>
      <FolderForm
        folder={null}
        folders={folders}
        isBusy={action.isBusy || rows.length === 0}
        onMove={(folder) => void all((by, { id }) => moveTo(by, id, folder))}
      />
      <ErrorNote error={action.error} onClose={action.clear} />
    </section>
  );
}
