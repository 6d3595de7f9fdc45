import { type Client, paginate, type SessionListItem } from '@verbatim/client';
import { useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Button, ErrorNote } from '../../ui/parts.tsx';
import { save } from '../../ui/save.ts';
import { visible } from '../../text/plain.tsx';
import { CompactDialog } from '../conversation/compact.tsx';
import { FolderForm, moveTo } from './folder-form.tsx';
import { EraseDialog } from './erase.tsx';
import { HoldDialog } from './hold.tsx';
import { SettingsDialog } from './settings.tsx';
import { pinChanges } from './use-sessions.ts';
import { SchedulesDialog } from './schedules.tsx';
import { ShareDialog } from './share.tsx';

interface Props {
  readonly row: Pick<SessionListItem, 'id' | 'title' | 'status' | 'archived' | 'folder'>;
  /** What names it while it has no title. */
  readonly beginning?: string | null;
  /** Absent: not known here, so it is asked for. */
  readonly isPinned?: boolean;
  /** Names of folders to choose from. */
  readonly folders?: readonly string[];
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** What can be done with a whole conversation. */
export function SessionMenu({ row, beginning = null, isPinned, folders = [], onClose, onChanged }: Props) {
  const { id, status, archived, folder } = row;
  const { client, me } = useAccount();
  const action = useAction();
  const [title, setTitle] = useState(row.title ?? '');
  const [thinking, setThinking] = useState(false);
  const pinned = usePinned(client, row, isPinned);
  const [next, setNext] = useState<'compact' | 'erase' | 'hold' | 'schedules' | 'settings' | 'share' | null>(null);
  const act = async (task: () => Promise<unknown>): Promise<void> => {
    if (!(await action.run(task))) return;
    onChanged();
    onClose();
  };
  if (next === 'share') return <ShareDialog id={id} onClose={onClose} />;
  if (next === 'settings') return <SettingsDialog id={id} onClose={onClose} />;
  if (next === 'schedules') return <SchedulesDialog id={id} onClose={onClose} />;
  if (next === 'compact') return <CompactDialog id={id} onClose={onClose} />;
  if (next === 'hold') return <HoldDialog id={id} onClose={onClose} onChanged={onChanged} />;
  if (next === 'erase') return <EraseDialog id={id} title={row.title} onClose={onClose} onErased={onChanged} />;
  return (
    <Dialog title="Conversation" onClose={onClose}>
      <form
        className="line"
        onSubmit={(event) => {
          event.preventDefault();
          void act(() => client.updateSession({ id, body: { title: title.trim() || null } }));
        }}
      >
        <label className="grow">
          Title
          <input value={title} placeholder={visible(beginning ?? '')} maxLength={200} onChange={(event) => setTitle(event.target.value)} />
        </label>
        <Button type="submit" look="primary" disabled={action.isBusy}>
          Rename
        </Button>
      </form>
      <FolderForm folder={folder} folders={folders} isBusy={action.isBusy} onMove={(to) => void act(() => moveTo(client, id, to))} />
      <ErrorNote error={action.error} />
      <div className="line">
        <Button
          disabled={action.isBusy}
          onClick={() => void action.run(async () => save(await client.exportMarkdown({ id, thinking }), `${fileName(row.title) || id}.md`))}
        >
          Save as Markdown
        </Button>
        <Button
          disabled={action.isBusy}
          onClick={() => void action.run(async () => save(await client.exportSession({ id }), `${fileName(row.title) || id}.jsonl`))}
        >
          Export, to import it elsewhere
        </Button>
        <label className="check">
          <input type="checkbox" checked={thinking} onChange={(event) => setThinking(event.target.checked)} /> Markdown with the thinking of the model
        </label>
      </div>
      <div className="choices">
        {pinned !== null && (
          <Button
            onClick={() =>
              void act(async () => {
                await (pinned ? client.unpinSession({ id }) : client.pinSession({ id }));
                pinChanges.dispatchEvent(new Event('change'));
              })
            }
          >
            <Icon name="pin" /> {pinned ? 'Unpin' : 'Pin: keep it on top of the list'}
          </Button>
        )}
        <Button onClick={() => setNext('share')}>
          <Icon name="share" /> Share…
        </Button>
        <Button onClick={() => setNext('settings')}>
          <Icon name="sliders" /> Settings: model, tools, instructions…
        </Button>
      </div>
      <div className="choices">
        {status !== 'closed' && (
          <Button onClick={() => setNext('schedules')}>
            <Icon name="clock" /> Schedules: prompts by time…
          </Button>
        )}
        {status !== 'closed' && (
          <Button onClick={() => setNext('compact')}>
            <Icon name="compress" /> Compact: go on from a summary…
          </Button>
        )}
        {status === 'closed' ? (
          <Button onClick={() => void act(() => client.reopenSession({ id }))}>
            <Icon name="lock" /> Reopen
          </Button>
        ) : (
          <Button onClick={() => void act(() => client.closeSession({ id }))}>
            <Icon name="lock" /> Close: nothing more can be written
          </Button>
        )}
        <Button onClick={() => void act(() => client.updateSession({ id, body: { archived: !archived } }))}>
          <Icon name="archive" /> {archived ? 'Back to the list' : 'Archive: keep it out of the list'}
        </Button>
      </div>
      <div className="choices">
        {me.role === 'admin' && (
          <Button onClick={() => setNext('hold')}>
            <Icon name="shield" /> Legal hold: nothing of it may be erased…
          </Button>
        )}
        <Button look="danger" onClick={() => setNext('erase')}>
          <Icon name="erase" /> Erase its content…
        </Button>
      </div>
    </Dialog>
  );
}

/** Null: not known yet. */
function usePinned(client: Client, { id, archived }: Props['row'], isPinned: boolean | undefined): boolean | null {
  const { data } = useLoad(async () => {
    if (isPinned !== undefined) return isPinned;
    for (const scope of ['own', 'shared'] as const) {
      const query: Parameters<Client['listSessions']>[0] = { pinned: true, scope, ...(archived ? { archived } : {}) };
      for await (const one of paginate(client.listSessions, query)) if (one.id === id) return true;
    }
    return false;
  }, [client, id, archived, isPinned]);
  return isPinned ?? data;
}

/** The title, of what every file system allows. */
const fileName = (title: string | null): string =>
  (title ?? '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .slice(0, 80);
