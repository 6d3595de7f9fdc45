import type { ContentBlock } from '../../message/content.js';
import { blockUuid } from '../../message/ids.js';
import type { ApiError } from '../../message/message.js';
import type { Pass } from '../pass.js';
import { changed, mapped, type Working, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * A file that the provider refused once, it refuses for ever: `The PDF specified is password protected.`, `image exceeds 10 MB maximum`. The stored refusal
 * points back to the nearest message before it that carries a file of the kind (one that the user did not type first, as files are read for the user), or
 * names the block; what it points to is left out from then on, and the record has done its part. This breaks the prefix of requests that were refused anyway. Needs the refusals, so it stands
 * before `drop-reader-only`.
 */
export const dropRejectedMedia: Pass = {
  name: 'drop-rejected-media',
  reason: 'the provider refused it in an earlier request, or this is the record of that',
  run: (messages) => (messages.some(refusalIn) ? mapped(messages, without, rejections(messages)) : messages),
};

type Kind = 'image' | 'document';
/** `index`: of a block in its stored message; null inside a tool result. */
type Rejects = (block: ContentBlock, index: number | null) => boolean;

const KINDS: Readonly<Record<Extract<ApiError, string>, readonly Kind[]>> = {
  pdf_too_large: ['document'],
  pdf_password_protected: ['document'],
  pdf_invalid: ['document'],
  image_too_large: ['image'],
  request_too_large: ['document', 'image'],
};

const refusalIn = ({ original }: WorkingMessage): ApiError | null => (original?.type === 'assistant' ? (original.apiError ?? null) : null);

/** What is rejected, by message. */
function rejections(messages: Working): ReadonlyMap<WorkingMessage, Rejects> {
  const found = new Map<WorkingMessage, Rejects>();
  const byUuid = new Map<string, WorkingMessage>();
  const carriers = { meta: { image: [] as number[], document: [] as number[] }, typed: { image: [] as number[], document: [] as number[] } };
  messages.forEach((message, index) => {
    const refusal = refusalIn(message);
    if (typeof refusal === 'string') {
      const kinds = KINDS[refusal] ?? [];
      const at = nearest(carriers.meta, kinds) ?? nearest(carriers.typed, kinds);
      if (at !== null) found.set(messages[at] as WorkingMessage, (block) => kinds.includes(block.type as Kind));
    } else if (refusal) {
      const target = byUuid.get(refusal.blockUuid);
      if (target) found.set(target, (_block, place) => place === refusal.index);
    }
    const { original } = message;
    if (!original || message.kind === 'reader') return;
    byUuid.set(original.uuid, message);
    message.blocks.forEach((_, place) => byUuid.set(blockUuid(original.uuid, place), message));
    const own = original.type === 'user' && !original.isMeta ? carriers.typed : carriers.meta;
    for (const kind of ['image', 'document'] as const) if (message.kind === 'user' && carries(message, kind)) own[kind].push(index);
  });
  return found;
}

/** The last of the carriers of these kinds, which is taken off the lists: a second refusal means another one. */
function nearest(carriers: Readonly<Record<Kind, number[]>>, kinds: readonly Kind[]): number | null {
  const at = Math.max(-1, ...kinds.map((kind) => carriers[kind].at(-1) ?? -1));
  for (const kind of kinds) if (carriers[kind].at(-1) === at) carriers[kind].pop();
  return at < 0 ? null : at;
}

const innerOf = (block: ContentBlock): readonly ContentBlock[] =>
  block.type === 'tool_result' && typeof block.content === 'object' && Array.isArray(block.content) ? block.content : [];

const carries = ({ blocks }: WorkingMessage, kind: Kind): boolean =>
  blocks.some(({ block }) => block.type === kind || innerOf(block).some((inner) => inner?.type === kind));

function without(message: WorkingMessage, rejected: ReadonlyMap<WorkingMessage, Rejects>): WorkingMessage | null {
  if (refusalIn(message)) return null;
  const rejects = rejected.get(message);
  if (!rejects) return message;
  const blocks = mapped(message.blocks, stripped, rejects);
  return blocks.length === 0 ? null : { ...message, blocks };
}

function stripped(before: WorkingBlock, rejects: Rejects): WorkingBlock | null {
  const { block } = before;
  if (rejects(block, before.sources[0]?.index ?? null)) return null;
  const inner = innerOf(block);
  const content = mapped(inner, (one) => (rejects(one, null) ? null : one), null);
  return content === inner ? before : changed(before, { ...block, content } as ContentBlock);
}
