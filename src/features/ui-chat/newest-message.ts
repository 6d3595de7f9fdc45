import { DomainError } from '../../../packages/protocol/errors.js';
import type { Content, ContentBlock, Json } from '../../../packages/protocol/message/content.js';
import { isObject, loose } from '../../../packages/protocol/message/unknown-json.js';

/** What the newest message of a chat says. Nothing else of the client's messages is used: the conversation is the server's. */
export type Newest =
  | { readonly role: 'user'; readonly messageId: string; readonly input: Content }
  | { readonly role: 'assistant'; readonly decisions: readonly ApprovalAnswer[]; readonly results: readonly ToolOutput[] };

export interface ApprovalAnswer {
  readonly toolUseId: string;
  readonly approved: boolean;
  readonly reason: string | null;
}

export interface ToolOutput {
  readonly toolUseId: string;
  readonly content: string;
  readonly isError: boolean;
}

export function newestMessage(messages: readonly unknown[]): Newest {
  const at = `/messages/${messages.length - 1}`;
  const { id, role, parts } = loose(messages.at(-1));
  if (role !== 'user' && role !== 'assistant') throw fault(`${at}/role`, 'must be user or assistant');
  if (!Array.isArray(parts)) throw fault(`${at}/parts`, 'must be the list of the parts of the message');
  if (role === 'assistant') return { role, ...answersIn(parts) };
  if (typeof id !== 'string' || id === '') throw fault(`${at}/id`, 'must be the id of the message');
  return { role, messageId: id, input: inputOf(parts, at) };
}

/** A single text stays a text, so that a slash command is one. */
function inputOf(parts: readonly unknown[], at: string): Content {
  const blocks = parts.flatMap((part, index): readonly ContentBlock[] => {
    const { type, text } = loose(part);
    if (type === 'text' && typeof text === 'string') return [{ type, text }];
    if (type === 'file') return [fileBlock(loose(part), `${at}/parts/${index}`)];
    // Data of the application, for itself.
    if (typeof type === 'string' && type.startsWith('data-')) return [];
    throw unsupported(`${at}/parts/${index}`, 'is not a part that a prompt can have: text, file, or data of the application');
  });
  const [first] = blocks;
  return blocks.length === 1 && first?.type === 'text' ? first.text : blocks;
}

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),(.*)$/s;
const BLOB_URL = /\/v1\/sessions\/[0-9a-f-]{36}\/blobs\/([0-9a-f]{64})$/;

function fileBlock({ mediaType, url, filename }: { readonly [name: string]: unknown }, at: string): ContentBlock {
  if (typeof url !== 'string' || typeof mediaType !== 'string') throw unsupported(at, 'must have a url and a mediaType');
  const title = typeof filename === 'string' ? { title: filename } : {};
  const kind = /^image(?:$|\/)/.test(mediaType) ? 'image' : mediaType === 'application/pdf' ? 'pdf' : mediaType.startsWith('text/') ? 'text' : null;
  if (kind === null) throw unsupported(`${at}/mediaType`, 'must be an image, application/pdf or a text');
  const block = (source: object): ContentBlock => (kind === 'image' ? { type: 'image', source } : { type: 'document', source, ...title }) as ContentBlock;
  const [, sha256] = BLOB_URL.exec(url) ?? [];
  if (sha256 !== undefined) return block({ type: 'blob', media_type: mediaType, sha256, bytes: 0 });
  const [, type = '', parameters = '', data = ''] = DATA_URL.exec(url) ?? [];
  const base64 = parameters.endsWith(';base64');
  if (!DATA_URL.test(url)) {
    if (!/^https?:\/\//.test(url) || kind === 'text')
      throw unsupported(`${at}/url`, 'must be a data: URL, or for an image or PDF an address that the model API can fetch');
    return block({ type: 'url', url });
  }
  if (kind === 'text') return block({ type: 'text', media_type: 'text/plain', data: base64 ? decodeBase64(data) : decodePercent(data, at) });
  if (!base64) throw unsupported(`${at}/url`, 'must contain the file as base64');
  return block({ type: 'base64', media_type: type === '' ? mediaType : type, data });
}

const decodeBase64 = (data: string): string => Buffer.from(data, 'base64').toString();

function decodePercent(data: string, at: string): string {
  try {
    return decodeURIComponent(data);
  } catch {
    throw unsupported(`${at}/url`, 'is not a valid data: URL');
  }
}

/** What the person and the client have answered since the turn waits. Which calls wait is for the server to say. */
function answersIn(parts: readonly unknown[]): { readonly decisions: readonly ApprovalAnswer[]; readonly results: readonly ToolOutput[] } {
  const calls = parts.filter(isObject).filter(({ toolCallId }) => typeof toolCallId === 'string');
  const decisions = calls.flatMap(({ approval }) => {
    const { id, approved, reason } = loose(approval);
    if (typeof id !== 'string' || typeof approved !== 'boolean') return [];
    return [{ toolUseId: id, approved, reason: typeof reason === 'string' && reason.trim() !== '' ? reason.trim() : null }];
  });
  const results = calls.flatMap(({ toolCallId, state, output, errorText }) => {
    if (state === 'output-available') return [{ toolUseId: String(toolCallId), content: textOfOutput(output as Json), isError: false }];
    return state === 'output-error' ? [{ toolUseId: String(toolCallId), content: String(errorText ?? ''), isError: true }] : [];
  });
  return { decisions, results };
}

const textOfOutput = (output: Json | undefined): string => (typeof output === 'string' ? output : JSON.stringify(output ?? null));

function fault(pointer: string, text: string): DomainError {
  return new DomainError('invalid_input', 'The newest message of the chat is not a UI message.', [{ pointer, text }]);
}

function unsupported(pointer: string, text: string): DomainError {
  return new DomainError('unsupported_input', 'The newest message contains a part that cannot be sent.', [{ pointer, text }]);
}
