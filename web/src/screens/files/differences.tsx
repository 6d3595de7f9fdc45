import type { FileDiff } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { bytes } from '../../app/words.ts';
import { Patch } from '../../text/patch.tsx';
import { Badge, Button, ErrorNote, Loading } from '../../ui/parts.tsx';
import { nameOf } from './name.ts';
import { PathName } from './path-name.tsx';

export type Difference = FileDiff['data'][number];

/** Two points of a session's files: what a turn, or one version, has changed. */
export type Between = { readonly turn: string } | { readonly to: string };

/** Names that are laid out at once. */
const NAMES = 100;

/** What a change is called by colour. */
export const TONES: Readonly<Record<string, string>> = { added: 'good', deleted: 'bad' };

interface Props {
  readonly id: string;
  readonly between: Between;
  readonly data: readonly Difference[];
  /** The diff of the first is open. */
  readonly isFirstOpen?: boolean;
}

/** Files that differ, each with its diff when that is asked for. */
export function Differences({ id, between, data, isFirstOpen = false }: Props) {
  const [open, setOpen] = useState<string | null>(isFirstOpen ? (data[0]?.path ?? null) : null);
  const [limit, setLimit] = useState(NAMES);
  return (
    <ul className="lines changes" aria-label="Changed files">
      {data.slice(0, limit).map(({ path, change }) => (
        <li key={path} className="change">
          <button
            type="button"
            className="change-head"
            aria-label={`${nameOf(path)} ${change}`}
            aria-expanded={open === path}
            onClick={() => setOpen(open === path ? null : path)}
          >
            <span className={`caret ${open === path ? 'open' : ''}`} aria-hidden="true" />
            <PathName path={path} />
            <Badge tone={TONES[change] ?? 'neutral'}>{change}</Badge>
          </button>
          {open === path && <OneDifference id={id} between={between} path={path} />}
        </li>
      ))}
      {data.length > limit && (
        <li>
          <Button look="quiet" onClick={() => setLimit(limit * 4)}>
            Show more: {data.length - limit} files are left
          </Button>
        </li>
      )}
    </ul>
  );
}

function OneDifference({ id, between, path }: { readonly id: string; readonly between: Between; readonly path: string }) {
  const client = useClient();
  const point = 'turn' in between ? between.turn : between.to;
  const { data, error, reload } = useLoad((signal) => client.diffFiles({ id, ...between, path }, { signal }), [client, id, point, path]);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the difference" />;
  const [found] = data.data;
  if (!found) return <p className="aside">The file does not differ any more: what had changed it was erased.</p>;
  if (found.patch === null) return <p className="aside">{withoutPatch(found)}</p>;
  const of = (sign: RegExp): number => found.patch!.slice(Math.max(0, found.patch!.search(/^@@/m))).match(sign)?.length ?? 0;
  return (
    <>
      <p className="change-counts">
        <span className="good-text">+{of(/^\+/gm)}</span> <span className="bad-text">−{of(/^-/gm)}</span>
      </p>
      <Patch text={found.patch} label={`Changes of ${nameOf(path)}`} />
    </>
  );
}

function withoutPatch({ omitted, before, after }: Difference): string {
  const sizes = [...(before ? [`${bytes(before.size)} before`] : []), ...(after ? [`${bytes(after.size)} after`] : [])].join(', ');
  if (omitted === 'binary') return `Not a text, so it is not compared: ${sizes}.`;
  if (omitted === 'same') return `The content is the same; its mode was ${octal(before)} and is ${octal(after)}.`;
  return `Too large or too different to be compared here: ${sizes}.`;
}

const octal = (file: Difference['before']): string => (file === null ? 'none' : file.mode.toString(8));
