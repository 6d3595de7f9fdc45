import { type Client, ProblemError, type Session, type SessionListItem } from '@verbatim/client';
import { useId, useState } from 'react';
import { Button } from '../../ui/parts.tsx';

/** Events of a turn that runs may come between reading and writing. */
const ATTEMPTS = 10;

/** The folder of a conversation is `folder` in its metadata: other programs set and filter it, too. */
export async function moveTo(client: Client, id: string, folder: string | null): Promise<void> {
  for (let left = ATTEMPTS; ; left -= 1) {
    const { metadata, version } = await client.getSession({ id });
    const { folder: _, ...rest } = metadata;
    try {
      await client.updateSession({ id, body: { metadata: folder === null ? rest : { ...rest, folder } } }, { ifVersion: version });
      return;
    } catch (error) {
      if (left === 0 || !(error instanceof ProblemError) || error.code !== 'version_conflict') throw error;
    }
  }
}

/** As the list says it. */
export const folderIn = ({ folder }: Session['metadata']): string | null => (typeof folder === 'string' ? folder : null);

export const foldersOf = (rows: readonly SessionListItem[]): readonly string[] =>
  [...new Set(rows.flatMap(({ folder }) => (folder === null || folder === '' ? [] : [folder])))].sort();

interface Props {
  /** In which it is; null: in none, or in several. */
  readonly folder: string | null;
  /** Names that there are. */
  readonly folders: readonly string[];
  readonly isBusy: boolean;
  readonly onMove: (folder: string | null) => void;
}

export function FolderForm({ folder, folders, isBusy, onMove }: Props) {
  const [name, setName] = useState(folder ?? '');
  const list = useId();
  return (
    <form
      className="line"
      onSubmit={(event) => {
        event.preventDefault();
        onMove(name.trim() || null);
      }}
    >
      <label className="grow">
        Folder
        <input value={name} maxLength={200} list={list} placeholder="no folder" onChange={(event) => setName(event.target.value)} />
      </label>
      <datalist id={list}>
        {folders.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <Button type="submit" disabled={isBusy}>
        Move
      </Button>
    </form>
  );
}
