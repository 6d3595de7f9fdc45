import { Dialog } from '../../ui/dialog.tsx';
import { FolderForm } from './folder-form.tsx';

interface Props {
  readonly folder: string | null;
  readonly folders: readonly string[];
  readonly onMove: (folder: string | null) => void;
  readonly onClose: () => void;
}

/** Asks into which folder a conversation moves. */
export function FolderDialog({ folder, folders, onMove, onClose }: Props) {
  return (
    <Dialog title="Move to a folder" onClose={onClose}>
      <FolderForm folder={folder} folders={folders} isBusy={false} onMove={onMove} />
      <p className="aside">A folder that does not exist yet is made. Without a name, the conversation leaves its folder.</p>
    </Dialog>
  );
}
