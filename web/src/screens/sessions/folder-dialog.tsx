import { useId, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { visible } from '../../text/plain.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Button } from '../../ui/parts.tsx';
import { foldersOf } from './folder-form.tsx';

interface Props {
  readonly folder: string | null;
  /** Names that the page knows; more are looked for. */
  readonly folders: readonly string[];
  readonly onMove: (folder: string | null) => void;
  readonly onClose: () => void;
}

/** Names that are offered to be chosen. */
const OFFERED = 12;

/** Asks into which folder a conversation moves: one that there is, or another. */
export function FolderDialog({ folder, folders, onMove, onClose }: Props) {
  const client = useClient();
  const [name, setName] = useState(folder ?? '');
  const form = useId();
  const { data } = useLoad(async (signal) => foldersOf((await client.listSessions({ limit: 100 }, { signal })).data), [client]);
  const known = [...new Set([...folders, ...(data ?? [])])].toSorted();
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form={form} look="primary">
        Move
      </Button>
    </>
  );
  return (
    <Dialog title="Move to a folder" onClose={onClose} footer={footer}>
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          onMove(name.trim() || null);
        }}
      >
        <label>
          Folder
          <input value={name} maxLength={200} list={`${form}-folders`} placeholder="No folder" onChange={(event) => setName(event.target.value)} />
        </label>
        <datalist id={`${form}-folders`}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </form>
      {known.length > 0 && (
        <div className="chips" role="group" aria-label="Folders that there are">
          {['', ...known.slice(0, OFFERED)].map((one) => (
            <button key={one} type="button" className="chip" aria-pressed={name.trim() === one} onClick={() => setName(one)}>
              {one === '' ? 'No folder' : visible(one)}
            </button>
          ))}
        </div>
      )}
      <p className="aside">A folder that does not exist yet is made.</p>
    </Dialog>
  );
}
