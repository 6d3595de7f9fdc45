import { ProblemError } from '@verbatim/client';
import { useClient } from '../../../app/account.tsx';
import { useLoad } from '../../../app/load.ts';
import { visible } from '../../../text/plain.tsx';
import { Loading } from '../../../ui/parts.tsx';
import { SplitDiff } from '../../../text/split-diff.tsx';
import { textIn } from '../../files/text-in.ts';
import { InputView } from './input.tsx';

interface Props {
  readonly id: string;
  readonly input: unknown;
}

/** Longer files are not compared, and not read. In bytes, and in characters of what would be written. */
const LIMIT = 200_000;

/** What a call that waits would write: a difference to the file that is there, or the new file. */
export function WriteChange({ id, input }: Props) {
  const client = useClient();
  const { file_path: path, content } = input as { readonly file_path?: unknown; readonly content?: unknown };
  const { data, isLoading } = useLoad(
    async (signal) => {
      if (typeof path !== 'string' || typeof content !== 'string') return { now: null, isNew: false };
      try {
        const response = await client.getFile({ id, path }, { signal });
        if (Number(response.headers.get('content-length')) > LIMIT) {
          await response.body?.cancel();
          return { now: null, isNew: false };
        }
        return { now: textIn(await response.arrayBuffer()).text, isNew: false };
      } catch (error) {
        if (error instanceof ProblemError && error.code === 'blob_not_found') return { now: null, isNew: true };
        if (signal.aborted) throw error;
        return { now: null, isNew: false };
      }
    },
    [client, id, path, content],
  );
  if (isLoading) return <Loading what="the file" shape="lines" />;
  if (typeof data?.now !== 'string' || String(content).length > LIMIT) {
    return (
      <>
        {data?.isNew && <p className="aside">A new file</p>}
        <InputView name="Write" input={input} />
      </>
    );
  }
  return (
    <>
      <p className="tool-path">
        <code>{visible(String(path))}</code> <span className="aside">replaces the file that is there</span>
      </p>
      {data.now === content ? (
        <p className="aside">The file has this content already.</p>
      ) : (
        <SplitDiff before={data.now} after={String(content)} labels={['Now', 'After the call']} label="Change of the file" isStacked />
      )}
    </>
  );
}
