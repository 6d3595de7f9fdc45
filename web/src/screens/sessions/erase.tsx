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
        What was written in <strong>{visible(title ?? 'this conversation')}</strong> is erased for good. It cannot be restored.
      </p>
      <dl className="reach">
        <dt>Erased</dt>
        <dd>Texts, files, inputs and results of tools{session.data && `, in ${plural(session.data.version, 'event')} of its log`}</dd>
        <dt>Not erased</dt>
        <dd>Other conversations that quote it, and its forks unless they are chosen below</dd>
        <dt>What stays</dt>
        <dd>That there was something, when, by whom, and its hashes</dd>
      </dl>
    </ErasureForm>
  );
}
