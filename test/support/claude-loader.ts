/** What a line of a session file says about its place, as far as the model's context depends on it. */
export interface LoadedLine {
  readonly uuid?: string;
  readonly type: string;
  readonly subtype?: string;
  readonly parentUuid?: string | null;
  readonly message?: { readonly id?: string; readonly content: unknown };
  readonly retractedMessageUuids?: readonly string[];
  readonly supersedesUuids?: readonly string[];
  readonly compactMetadata?: {
    readonly preservedMessages?: { readonly anchorUuid: string; readonly uuids: readonly string[] };
    readonly preservedSegment?: { readonly headUuid: string; readonly anchorUuid: string; readonly tailUuid: string };
  };
}

/**
 * A model of the loader of Claude Code: the lines of the active context, oldest first. Each compaction that keeps messages relinks them: the first one follows the
 * anchor, what else follows the anchor comes after the last one. Then the parents are followed from the leaf; results of parallel calls are added after their calls.
 * What was taken back is as if it were not in the file. `corrected`: parents of lines that the file attaches to a wrong one.
 */
export function activeContext(all: readonly LoadedLine[], leaf: string, corrected: ReadonlyMap<string, string>): readonly LoadedLine[] {
  const lines = withoutWithdrawn(all);
  const byUuid = new Map(lines.flatMap((line) => (line.uuid === undefined ? [] : [[line.uuid, line] as const])));
  const parents = new Map([...byUuid].map(([uuid, { parentUuid }]) => [uuid, corrected.get(uuid) ?? parentUuid ?? null] as const));
  for (const line of lines) if (line.subtype === 'compact_boundary') relink(line, parents);
  const chain: LoadedLine[] = [];
  for (let uuid: string | null = leaf; uuid !== null; uuid = parents.get(uuid) ?? null) if (byUuid.has(uuid)) chain.unshift(byUuid.get(uuid)!);
  return withSiblings(
    chain.filter(({ type }) => type === 'user' || type === 'assistant'),
    lines,
  );
}

function withoutWithdrawn(lines: readonly LoadedLine[]): readonly LoadedLine[] {
  const withdrawn = new Set(lines.flatMap(({ retractedMessageUuids = [], supersedesUuids = [] }) => [...retractedMessageUuids, ...supersedesUuids]));
  const parents = new Map(lines.map(({ uuid, parentUuid }) => [uuid, parentUuid ?? null] as const));
  const above = (uuid: string | null): string | null => (uuid !== null && withdrawn.has(uuid) ? above(parents.get(uuid) ?? null) : uuid);
  return lines.filter(({ uuid }) => uuid === undefined || !withdrawn.has(uuid)).map((line) => ({ ...line, parentUuid: above(line.parentUuid ?? null) }));
}

function relink({ compactMetadata = {} }: LoadedLine, parents: Map<string, string | null>): void {
  const { preservedMessages: list, preservedSegment: segment } = compactMetadata;
  const anchor = list?.anchorUuid ?? segment?.anchorUuid;
  const kept = list ? list.uuids : segment ? between(segment.headUuid, segment.tailUuid, parents) : [];
  if (anchor === undefined || kept.length === 0 || ![anchor, ...kept].every((uuid) => parents.has(uuid))) return;
  for (const [uuid, parent] of parents) if (parent === anchor && !kept.includes(uuid)) parents.set(uuid, kept.at(-1)!);
  kept.forEach((uuid, index) => parents.set(uuid, kept[index - 1] ?? anchor));
}

function between(head: string, tail: string, parents: ReadonlyMap<string, string | null>): readonly string[] {
  const found: string[] = [];
  for (let uuid: string | null = tail; uuid !== null; uuid = parents.get(uuid) ?? null) {
    found.unshift(uuid);
    if (uuid === head) return found;
  }
  return [];
}

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
}

const blocks = ({ message }: LoadedLine): readonly Block[] => (Array.isArray(message?.content) ? (message.content as readonly Block[]) : []);

/** The other lines of each answer, and the results of their calls. */
function withSiblings(chain: readonly LoadedLine[], lines: readonly LoadedLine[]): readonly LoadedLine[] {
  const known = new Set(chain);
  return chain.flatMap((line) => {
    const added: LoadedLine[] = [];
    const add = (other: LoadedLine): void => {
      if (!known.has(other)) added.push(other);
      known.add(other);
    };
    if (line.type === 'assistant') {
      for (const other of lines) if (other.type === 'assistant' && other.message?.id === line.message?.id) add(other);
      const calls = [line, ...added].flatMap(blocks).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
      for (const other of lines) if (blocks(other).some(({ type, tool_use_id: id }) => type === 'tool_result' && calls.includes(id))) add(other);
    }
    return [line, ...added];
  });
}
