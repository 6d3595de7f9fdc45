import type { ContentBlock } from '../../protocol/message/content.js';
import { blockUuid } from '../../protocol/message/ids.js';
import type { ApiError, AssistantMessage, Message, UserMessage } from '../../protocol/message/message.js';
import type { Pass } from '../pass.js';
import { RESULT_REJECTED } from '../placeholders.js';
import { mapped } from '../../protocol/mapped.js';
import { changed, lift, withBlocks, type Working, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * A file that the provider rejected once is rejected in every later request: `The PDF specified is password protected.`, `image exceeds 10 MB maximum`. The
 * stored error names the block, or a kind of file: then it means the nearest earlier message with such a file, files read for the user before those the user
 * sent. That file, or that block of a tool result, is left out from then on. A tool result itself is kept with a note, since its call needs one. This breaks
 * the prefix only of requests that were rejected. Lines that describe a file are left out with it. Needs the stored errors, so it runs before
 * `drop-reader-only`.
 */
export const dropRejectedMedia: Pass = {
  name: 'drop-rejected-media',
  reason: 'the provider rejected it in an earlier request, or this is the record of that error',
  apply: (messages) => (messages.some(errorIn) ? mapped(messages, without, rejections(messages)) : messages),
};

/** The message with the file or block that `error` is about, if it came after `messages`; null: none of them. */
export function rejectedMessage(messages: readonly Message[], error: ApiError): Message | null {
  return rejections(lift([...messages, { ...RECORD, apiError: error }])).last?.original ?? null;
}

const RECORD: AssistantMessage = {
  ...{ type: 'assistant', uuid: '', parentUuid: null, timestamp: '' },
  message: { id: '', role: 'assistant', model: '', content: [], stop_reason: null },
};

type Kind = 'image' | 'document';
/** `index`: of a block in its stored message. `inner`: of a block in the content of a tool result; null for the block of the message. */
type Rejects = (block: ContentBlock, index: number, inner: number | null) => boolean;

const KINDS: Readonly<Record<Extract<ApiError, string>, readonly Kind[]>> = {
  pdf_too_large: ['document'],
  pdf_password_protected: ['document'],
  pdf_invalid: ['document'],
  image_too_large: ['image'],
  request_too_large: ['document', 'image'],
};

const errorIn = ({ original }: WorkingMessage): ApiError | null => (original?.type === 'assistant' ? (original.apiError ?? null) : null);

interface Rejections {
  readonly found: ReadonlyMap<WorkingMessage, Rejects>;
  /** Messages with content, by uuid. */
  readonly byUuid: ReadonlyMap<string, WorkingMessage>;
  /** What the last error is about; null: nothing in the conversation. */
  readonly last: WorkingMessage | null;
}

function rejections(messages: Working): Rejections {
  const found = new Map<WorkingMessage, Rejects>();
  let last: WorkingMessage | null = null;
  const reject = (message: WorkingMessage, rejects: Rejects): void => {
    last = message;
    const others = found.get(message);
    found.set(message, others ? (...block) => others(...block) || rejects(...block) : rejects);
  };
  const byUuid = new Map<string, WorkingMessage>();
  const carriers = { meta: { image: [] as number[], document: [] as number[] }, typed: { image: [] as number[], document: [] as number[] } };
  messages.forEach((message, index) => {
    const error = errorIn(message);
    if (error !== null) last = null;
    if (typeof error === 'string') {
      const kinds = KINDS[error] ?? [];
      const at = nearest(carriers.meta, kinds) ?? nearest(carriers.typed, kinds);
      if (at !== null) reject(messages[at] as WorkingMessage, (block) => kinds.includes(block?.type as Kind));
    } else if (error) {
      const target = byUuid.get(error.blockUuid);
      const { index: rejected, inner: rejectedInner = null } = error;
      if (target) reject(target, (_block, place, inner) => place === rejected && inner === rejectedInner);
    }
    const { original } = message;
    if (!original || message.kind === 'reader') return;
    byUuid.set(original.uuid, message);
    message.blocks.forEach((_, place) => byUuid.set(blockUuid(original.uuid, place), message));
    const own = original.type === 'user' && !original.isMeta ? carriers.typed : carriers.meta;
    for (const kind of ['image', 'document'] as const) if (message.kind === 'user' && carries(message, kind)) own[kind].push(index);
  });
  return { found, byUuid, last };
}

/** The last of the carriers of these kinds. It is removed from the lists, since a second error means another one. */
function nearest(carriers: Readonly<Record<Kind, number[]>>, kinds: readonly Kind[]): number | null {
  const at = Math.max(-1, ...kinds.map((kind) => carriers[kind].at(-1) ?? -1));
  for (const kind of kinds) if (carriers[kind].at(-1) === at) carriers[kind].pop();
  return at < 0 ? null : at;
}

const innerOf = (block: ContentBlock): readonly ContentBlock[] =>
  block.type === 'tool_result' && typeof block.content === 'object' && Array.isArray(block.content) ? block.content : [];

const carries = ({ blocks }: WorkingMessage, kind: Kind): boolean =>
  blocks.some(({ block }) => block.type === kind || innerOf(block).some((inner) => inner?.type === kind));

function without(message: WorkingMessage, rejections: Rejections): WorkingMessage | null {
  if (errorIn(message)) return null;
  const rejects = rejections.found.get(message);
  const described = message.original?.type === 'user' ? message.original.describes : undefined;
  if (!rejects && !described) return message;
  const own = described ? message.blocks.filter((one) => !describesRejected(one, described, rejections)) : message.blocks;
  const left = own.length === message.blocks.length ? message.blocks : own;
  const blocks = rejects ? mapped(left, stripped, rejects) : left;
  return blocks.length === 0 ? null : withBlocks(message, blocks);
}

function describesRejected({ sources }: WorkingBlock, described: NonNullable<UserMessage['describes']>, { found, byUuid }: Rejections): boolean {
  const { uuid, index, inner = null } = described[sources[0]?.index ?? -1] ?? { uuid: '', index: -1 };
  const message = byUuid.get(uuid);
  const rejects = message && found.get(message);
  const block = message?.blocks.find((one) => one.sources[0]?.index === index)?.block;
  if (!rejects || !block) return false;
  const file = inner === null ? undefined : innerOf(block)[inner];
  return rejects(block, index, null) || (inner !== null && file !== undefined && rejects(file, index, inner));
}

function stripped(before: WorkingBlock, rejects: Rejects): WorkingBlock | null {
  const { block } = before;
  const index = before.sources[0]?.index ?? -1;
  if (rejects(block, index, null)) return block.type === 'tool_result' ? changed(before, { ...block, content: RESULT_REJECTED }) : null;
  const inner = innerOf(block);
  const content = mapped(inner, (one, _, at) => (rejects(one, index, at) ? null : one), null);
  if (content === inner) return before;
  return changed(before, { ...block, content: content.length === 0 ? RESULT_REJECTED : content } as ContentBlock);
}
