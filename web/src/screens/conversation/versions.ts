import type { Branch, Client } from '@verbatim/client';
import { useMemo, useRef } from 'react';
import { useLoad } from '../../app/load.ts';

/** The versions of a message: an edit, a regeneration, or a prompt after a rewind makes another one. */
export interface Versions {
  /** The message before them; null: the conversation begins with them. */
  readonly after: string | null;
  /** For each version, the first first, the tip of the branch that has it; null: the current one. */
  readonly tips: readonly (string | null)[];
}

/** Where a conversation has gone another way before. */
export interface Ways {
  /** By the uuid of the message that the current branch shows there. */
  readonly at: ReadonlyMap<string, Versions>;
  /** The branch that was left at the end of the conversation last, by a rewind; null: none was. */
  readonly atEnd: Branch | null;
}

const NONE: Ways = { at: new Map(), atEnd: null };

/** Reads where the conversation `id` has other branches, again after each of its `moves` and prompts. Versions that are known are shown until then. */
export function useWays(client: Client, id: string, isKnown: boolean, moves: number, lastPrompt: string | null): Ways {
  const { data } = useLoad(
    async (signal) => (isKnown ? waysOf((await client.listBranches({ id }, { signal })).data) : NONE),
    [client, id, isKnown, moves, lastPrompt],
  );
  const known = useRef(NONE);
  if (data) known.current = data;
  const { at } = known.current;
  return useMemo(() => ({ at, atEnd: data?.atEnd ?? null }), [at, data]);
}

export function waysOf(branches: readonly Branch[]): Ways {
  const others = branches.filter(({ isCurrent }) => !isCurrent);
  const places = new Map<string, Branch[]>();
  for (const branch of others) if (branch.insteadOf) places.set(branch.insteadOf.uuid, [...(places.get(branch.insteadOf.uuid) ?? []), branch]);
  const at = new Map([...places].map(([uuid, there]) => [uuid, versionsOf(there)]));
  return { at, atEnd: others.findLast(({ insteadOf }) => insteadOf === null) ?? null };
}

/** Of the branches that begin with the same message, the one that was left last stands for them. */
function versionsOf(there: readonly Branch[]): Versions {
  const { forkedAfter, insteadOf } = there[0]!;
  const others = new Map(there.map(({ begins, tip }) => [begins!.uuid, { ...begins!, tip: tip as string | null }]));
  const all = [...others.values(), { ...insteadOf!, tip: null }];
  return { after: forkedAfter, tips: all.toSorted(inOrder).map(({ tip }) => tip) };
}

interface Place {
  readonly uuid: string;
  readonly timestamp: string;
}

function inOrder(one: Place, other: Place): number {
  const [a, b] = one.timestamp === other.timestamp ? [one.uuid, other.uuid] : [one.timestamp, other.timestamp];
  return a < b ? -1 : 1;
}
