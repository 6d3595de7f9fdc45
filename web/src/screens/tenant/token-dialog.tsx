import { Dialog } from '../../ui/dialog.tsx';
import { TokenForm } from './token-form.tsx';

interface Props {
  readonly isForPerson?: boolean;
  readonly onMade: () => void;
  readonly onClose: () => void;
}

/** Makes a token, and shows it this once. */
export function TokenDialog({ isForPerson = false, onMade, onClose }: Props) {
  return (
    <Dialog title={isForPerson ? 'Invite a person' : 'New token'} onClose={onClose}>
      <TokenForm isForPerson={isForPerson} onMade={onMade} onDone={onClose} />
    </Dialog>
  );
}
