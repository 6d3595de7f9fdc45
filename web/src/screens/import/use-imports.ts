import { type Client, ProblemError } from '@verbatim/client';
import { useCallback, useRef, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import type { Chosen } from './dropped-files.ts';
import { sha256 } from '../request/digest.ts';

export type Report = Awaited<ReturnType<Client['importSession']>>;

export type State =
  | { readonly kind: 'waiting' | 'running' }
  /** Why a file of a folder is not imported. */
  | { readonly kind: 'left-out'; readonly why: string }
  | { readonly kind: 'done'; readonly report: Report }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface Import {
  readonly path: string;
  readonly state: State;
}

/** Files of agents belong to the session that ran them: they are no sessions. */
const whyLeftOut = (path: string, isFolder: boolean): string | null => {
  if (isFolder && !path.endsWith('.jsonl')) return 'no session file';
  return /(^|\/)agent-[^/]*\.jsonl$/.test(path) ? 'the file of a subagent, which is no session' : null;
};

/** Imports files one after the other, in the order in which they were chosen. The same file twice is one session: its key is its content. */
export function useImports(): { readonly imports: readonly Import[]; readonly isBusy: boolean; readonly add: (files: readonly Chosen[]) => void } {
  const client = useClient();
  const [imports, setImports] = useState<readonly Import[]>([]);
  const [open, setOpen] = useState(0);
  const last = useRef<Promise<void>>(Promise.resolve());
  const count = useRef(0);
  const set = useCallback((index: number, state: State) => {
    setImports((before) => before.map((one, at) => (at === index ? { ...one, state } : one)));
  }, []);
  const add = useCallback(
    (files: readonly Chosen[]) => {
      const isFolder = files.some(({ path }) => path.includes('/'));
      const rows = files.map(({ path }): Import => {
        const why = whyLeftOut(path, isFolder);
        return { path, state: why === null ? { kind: 'waiting' } : { kind: 'left-out', why } };
      });
      const from = count.current;
      count.current += rows.length;
      setImports((before) => [...before, ...rows]);
      files.forEach(({ file }, index) => {
        if (rows[index]!.state.kind !== 'waiting') return;
        setOpen((before) => before + 1);
        last.current = last.current.then(async () => {
          set(from + index, { kind: 'running' });
          try {
            const report = await imported(client, await file.text());
            set(from + index, { kind: 'done', report });
          } catch (error) {
            set(from + index, { kind: 'failed', error });
          }
          setOpen((before) => before - 1);
        });
      });
    },
    [client, set],
  );
  return { imports, isBusy: open > 0, add };
}

/** The session of an earlier import may be erased: the file is imported once more. */
async function imported(client: Client, body: string): Promise<Report> {
  const key = await keyOf(body);
  try {
    return await client.importSession({ body }, key === undefined ? {} : { idempotencyKey: key });
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'session_erased') return client.importSession({ body });
    throw error;
  }
}

/** Undefined where the page has no digests, which only those of a secure origin have: the client makes a key. */
async function keyOf(text: string): Promise<string | undefined> {
  return (crypto.subtle as SubtleCrypto | undefined) && `import-${await sha256(text)}`;
}
