import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { ErasureForm } from './erasure-form.tsx';

interface Props {
  readonly id: string;
  readonly title: string | null;
  readonly onClose: () => void;
  readonly onErased: () => void;
}

/** Erasure of a conversation. */
export function EraseDialog({ id, title, onClose, onErased }: Props) {
  const client = useClient();
  const session = useLoad((signal) => client.getSession({ id }, { signal }), [client, id]);
  return (
    <ErasureForm id={id} title="Erase the content" onClose={onClose} onErased={onErased} erase={(options) => client.eraseSession({ id, ...options })}>
      <p>
        What was written in <strong>{visible(title ?? 'this conversation')}</strong> is erased for good: texts, files, inputs and results of tools
        {session.data && `, in ${plural(session.data.version, 'event')} of its log`}. It cannot be restored.
      </p>
      <p>What stays: that there was something, when, by whom, and its hashes, so that the log can still be proven.</p>
    </ErasureForm>
  );
}
