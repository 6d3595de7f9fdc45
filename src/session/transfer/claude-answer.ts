import { blocksOf, type Content, type ContentBlock, textOf } from '../../../packages/protocol/message/content.js';
import type { ApiError, StoredMessage } from '../../../packages/protocol/message/message.js';
import { isObject, loose, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { rejectedParts } from '../../../packages/normalizer/provider-rejection.js';
import { SYNTHETIC } from './claude-entry.js';
import { others } from './claude-members.js';
import { textIn, timeIn } from './shape.js';

/**
 * The answer of one API message, of one line or of several. A member that differs between lines has the value of the last line that has it;
 * `fragments` has one entry per line with the values that differ from it.
 */
export function assistantOf(
  place: { readonly uuid: string; readonly parentUuid: string | null; readonly timestamp: string },
  lines: readonly UnknownObject[],
): StoredMessage {
  const first = lines[0] ?? {};
  const pieces = lines.map(({ message }) => loose(message));
  const members = Object.assign({}, ...lines.map(stored)) as UnknownObject;
  const { inputs, effectiveInputs } = inputsOf(lines, pieces);
  const message = {
    ...pieces[0],
    ...lastValues(pieces),
    id: textIn(pieces[0]?.['id']) ?? `msg_${place.uuid}`,
    role: 'assistant',
    model: typeof pieces[0]?.['model'] === 'string' ? pieces[0]['model'] : '',
    content: pieces.flatMap((piece): readonly ContentBlock[] => blocksOf(piece['content'] as Content)).map((block) => withInput(block, inputs)),
    stop_reason: pieces.findLast((piece) => typeof piece['stop_reason'] === 'string')?.['stop_reason'] ?? null,
  };
  return {
    type: 'assistant',
    ...place,
    message,
    ...flagsOf(first),
    ...members,
    ...(Object.keys(effectiveInputs).length > 0 ? { effectiveInputs } : {}),
    ...(lines.length > 1 ? { fragments: lines.map((line, index) => fragmentOf(line, index, members, message)) } : {}),
  } as unknown as StoredMessage;
}

/** `wireToolInputs` is stored only where it is not understood: otherwise its values are the inputs in `content`. */
function stored(line: UnknownObject): UnknownObject {
  const { wireToolInputs, ...rest } = others(line);
  return wireToolInputs === undefined || wireInputs(wireToolInputs).length > 0 ? rest : { ...rest, wireToolInputs };
}

/** Inputs by the id of the call: an object, or a list of `{id, input}`. */
function wireInputs(given: unknown): readonly (readonly [id: string, input: UnknownObject])[] {
  const entries: readonly (readonly [unknown, unknown])[] = Array.isArray(given)
    ? given.map(loose).map(({ id, toolUseId, input }) => [id ?? toolUseId, input] as const)
    : Object.entries(loose(given));
  return entries.flatMap(([id, input]) => (typeof id === 'string' && isObject(input) ? [[id, input] as const] : []));
}

/** Of each member of the API message the last value that is not null. */
function lastValues(pieces: readonly UnknownObject[]): UnknownObject {
  return Object.fromEntries(pieces.flatMap((piece) => Object.entries(piece).filter(([, value]) => value !== null)));
}

const NOT_COMPARED: ReadonlySet<string> = new Set(['id', 'role', 'type', 'model', 'content']);

function fragmentOf(line: UnknownObject, index: number, members: UnknownObject, message: UnknownObject): UnknownObject {
  const inner = Object.entries(differing(loose(line['message']), message)).filter(([name]) => !NOT_COMPARED.has(name));
  const timestamp = timeIn(line['timestamp']);
  return {
    ...(index > 0 && textIn(line['uuid']) !== null ? { uuid: line['uuid'] } : {}),
    ...(index > 0 && timestamp !== null ? { timestamp } : {}),
    ...differing(stored(line), members),
    ...(inner.length > 0 ? { message: Object.fromEntries(inner) } : {}),
  };
}

/** The members of `one` whose values differ from those of `other`. */
function differing(one: UnknownObject, other: UnknownObject): UnknownObject {
  return Object.fromEntries(Object.entries(one).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(other[name])));
}

interface Inputs {
  /** Inputs as the model wrote them, by call: requests must repeat them, since thinking is signed with them. */
  readonly inputs: ReadonlyMap<string, UnknownObject>;
  /** Inputs with which the tools ran, where they differ. */
  readonly effectiveInputs: UnknownObject;
}

function inputsOf(lines: readonly UnknownObject[], pieces: readonly UnknownObject[]): Inputs {
  const inputs = new Map<string, UnknownObject>();
  for (const line of lines) {
    for (const [id, input] of wireInputs(line['wireToolInputs'])) inputs.set(id, input);
  }
  const effectiveInputs: Record<string, unknown> = {};
  if (inputs.size === 0) return { inputs, effectiveInputs };
  for (const { content } of pieces) {
    for (const block of Array.isArray(content) ? content.map(loose) : []) {
      const { type, id, input } = block;
      const written = type === 'tool_use' && typeof id === 'string' ? inputs.get(id) : undefined;
      if (written && JSON.stringify(written) !== JSON.stringify(input)) effectiveInputs[id as string] = input ?? null;
    }
  }
  return { inputs, effectiveInputs };
}

function withInput(block: ContentBlock, inputs: ReadonlyMap<string, UnknownObject>): ContentBlock {
  const input = block.type === 'tool_use' ? inputs.get(block.id) : undefined;
  return input === undefined ? block : ({ ...block, input } as ContentBlock);
}

/** Answers that the program wrote are never sent: API errors are stored as such, others are for readers only. */
function flagsOf(line: UnknownObject): UnknownObject {
  const requestId = textIn(line['requestId']);
  const { model, content } = loose(line['message']);
  const isError = line['isApiErrorMessage'] === true;
  const apiError = isError ? apiErrorIn(textOf(content as Content)) : null;
  return {
    ...(isError ? { isApiErrorMessage: true } : {}),
    ...(apiError === null ? {} : { apiError }),
    ...(line['isVirtual'] === true || (model === SYNTHETIC && !isError) ? { isVirtual: true } : {}),
    // `requestId` names a request of this log.
    ...(requestId === null ? {} : { providerRequestId: requestId }),
  };
}

/** First words of the errors of Claude Code for rejected files (docs: Claude Code, Error reference). */
const REJECTIONS: readonly (readonly [text: string, error: ApiError])[] = [
  ['PDF too large', 'pdf_too_large'],
  ['PDF is password protected', 'pdf_password_protected'],
  ['The PDF file was not valid', 'pdf_invalid'],
  ['Image was too large', 'image_too_large'],
  ['Request too large', 'request_too_large'],
];

/** The rejected part of an API error, by its text: Claude Code's own, or `API Error: ` with status and response body. */
function apiErrorIn(text: string): ApiError | null {
  const own = REJECTIONS.find(([start]) => text.startsWith(start));
  if (own) return own[1];
  const status = /^API Error: (\d{3})\b/.exec(text)?.[1];
  return status === undefined ? null : (rejectedParts({ status: Number(status), message: text }, null)[0] ?? null);
}
