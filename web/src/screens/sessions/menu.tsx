import { type Client, paginate, type SessionListItem } from '@verbatim/client';
import { useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { visible } from '../../text/plain.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { ErrorNote } from '../../ui/parts.tsx';
import { CompactDialog } from '../conversation/compact.tsx';
import { EraseDialog } from './erase.tsx';
import { ExportDialog } from './export.tsx';
import { moveTo } from './folder-form.tsx';
import { FolderDialog } from './folder-dialog.tsx';
import { HoldDialog } from './hold.tsx';
import { RenameDialog } from './rename.tsx';
import { SchedulesDialog } from './schedules.tsx';
import { SettingsDialog } from './settings.tsx';
import { ShareDialog } from './share.tsx';
import { pinChanges } from './use-sessions.ts';

/** What a menu leads to. */
export type Step = 'rename' | 'folder' | 'share' | 'settings' | 'schedules' | 'compact' | 'export' | 'hold' | 'erase';

interface Props {
  readonly row: Pick<SessionListItem, 'id' | 'title' | 'status' | 'archived' | 'folder'>;
  /** The button that opened the menu. */
  readonly at: HTMLElement;
  /** Absent: the menu; else what it leads to. */
  readonly first?: Step;
  /** What names it while it has no title. */
  readonly beginning?: string | null;
  /** Absent: not known here, so it is asked for. */
  readonly isPinned?: boolean;
  /** Names of folders to choose from. */
  readonly folders?: readonly string[];
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** What can be done with a whole conversation: a menu, and the dialogs that it leads to. */
export function SessionMenu({ row, at, first, beginning = null, isPinned, folders = [], onClose, onChanged }: Props) {
  const { id, archived } = row;
  const { client, me } = useAccount();
  const action = useAction();
  const pinned = usePinned(client, row, isPinned);
  const [next, setNext] = useState<Step | 'menu' | 'work'>(first ?? 'menu');
  const act = (task: () => Promise<unknown>): void => {
    setNext('work');
    void action.run(task).then((isDone) => {
      if (!isDone) return;
      onChanged();
      onClose();
    });
  };
  if (next === 'work') {
    return action.error === null ? null : (
      <Dialog title="It was not done" onClose={onClose}>
        <ErrorNote error={action.error} />
      </Dialog>
    );
  }
  const of = { id, title: row.title, onClose, onChanged };
  if (next === 'rename') return <RenameDialog {...of} beginning={beginning} />;
  if (next === 'folder') return <FolderDialog folder={row.folder} folders={folders} onClose={onClose} onMove={(to) => act(() => moveTo(client, id, to))} />;
  if (next === 'share') return <ShareDialog id={id} onClose={onClose} />;
  if (next === 'settings') return <SettingsDialog id={id} onClose={onClose} />;
  if (next === 'schedules') return <SchedulesDialog id={id} onClose={onClose} />;
  if (next === 'compact') return <CompactDialog id={id} onClose={onClose} />;
  if (next === 'export') return <ExportDialog {...of} />;
  if (next === 'hold') return <HoldDialog {...of} />;
  if (next === 'erase') return <EraseDialog {...of} onErased={onChanged} />;

  const step = ({ step: to, ...item }: Omit<MenuItem, 'run'> & { readonly step: Step }): MenuItem => ({ ...item, run: () => setNext(to) });
  const pin = async (): Promise<void> => {
    await (pinned ? client.unpinSession({ id }) : client.pinSession({ id }));
    pinChanges.dispatchEvent(new Event('change'));
  };
  const archive: MenuItem = {
    icon: 'archive',
    label: archived ? 'Back to the list' : 'Archive',
    run: () => act(() => client.updateSession({ id, body: { archived: !archived } })),
  };
  const isClosed = row.status === 'closed';
  const close: MenuItem = {
    icon: 'lock',
    label: isClosed ? 'Reopen' : 'Close',
    run: () => act(() => (isClosed ? client.reopenSession({ id }) : client.closeSession({ id }))),
  };
  return (
    <Menu
      label="Conversation"
      at={at}
      onClose={onClose}
      head={row.title !== null && <p className="popup-head">{visible(row.title)}</p>}
      groups={[
        [
          { icon: 'pin', label: pinned ? 'Unpin' : 'Pin', isDisabled: pinned === null, run: () => act(pin) },
          step({ icon: 'edit', label: 'Rename…', step: 'rename' }),
          step({ icon: 'folder', label: 'Move to folder…', step: 'folder' }),
        ],
        [
          step({ icon: 'share', label: 'Share…', step: 'share' }),
          step({ icon: 'sliders', label: 'Settings…', step: 'settings' }),
          ...(isClosed
            ? []
            : [step({ icon: 'clock', label: 'Schedules…', step: 'schedules' }), step({ icon: 'compress', label: 'Compact…', step: 'compact' })]),
          step({ icon: 'import', label: 'Export…', step: 'export' }),
        ],
        [archive, close],
        [
          ...(me.role === 'admin' ? [step({ icon: 'shield', label: 'Legal hold…', step: 'hold' })] : []),
          step({ icon: 'erase', label: 'Erase…', step: 'erase', isDanger: true }),
        ],
      ]}
    />
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
