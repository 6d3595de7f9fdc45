import { Lazy } from '../../app/lazy.tsx';
import { useTranscript } from './context.tsx';

const Changed = Lazy(async () => (await import('../files/changed.tsx')).Changed, null);

/** What the turn that ends with this message has changed in the files. */
export function FilesOf({ uuid }: { readonly uuid: string }) {
  const { id, changed } = useTranscript();
  const turnId = changed.get(uuid);
  return turnId === undefined ? null : <Changed id={id} turnId={turnId} />;
}
