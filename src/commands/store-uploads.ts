import { type ClientSubmission } from '../core/prompt/accept.js';
import { fileRefusal, filesIn, type GivenFile, withKeptFiles } from '../core/prompt/given-files.js';
import { type FileHead, lookAtFile } from '../core/media/inspect-file.js';
import type { BlobSource } from '../core/message/content.js';
import { type Blobs, type Limits, type Sessions } from '../core/ports.js';
import { requireAccess } from '../core/session/access.js';
import { type Base64Bytes } from '../core/media/base64.js';
import { bytesOfBase64 } from './base64.js';
import type { CommandContext } from './context.js';
import type { Submission } from '../core/message/submission.js';

interface Ports {
  readonly blobs: Blobs;
  readonly sessions: Sessions;
  readonly limits: Limits;
}

/** A file that may be kept. */
interface Seen {
  readonly file: GivenFile;
  readonly head: FileHead;
  readonly content: Uint8Array;
}

/**
 * Puts the files of a prompt where they stay, before anything of it is written down: the log only names them. All of them are looked at first, so that of a
 * prompt that is refused nothing is kept.
 */
export async function keepFiles({ principal, sessionId }: CommandContext, given: ClientSubmission, accepted: Submission, ports: Ports): Promise<Submission> {
  const { blobs, sessions, limits } = ports;
  const files = filesIn(given, limits.files);
  if (files.length === 0) return accepted;
  const { tenantId } = principal;
  requireAccess(await sessions.load(tenantId, sessionId), principal);
  const named = files.flatMap(({ bytes }) => ('sha256' in bytes ? [bytes.sha256] : []));
  const known = named.length === 0 ? null : await blobs.get(tenantId, sessionId, [...new Set(named)]);
  const seen: Seen[] = [];
  const bad: { readonly file: GivenFile; readonly text: string }[] = [];
  for (const file of files) {
    await breath();
    const content = 'base64' in file.bytes ? bytesOfBase64(file.bytes.base64) : (known?.get(file.bytes.sha256)?.content ?? null);
    const head = content ? lookAtFile(file.kind, asBytes(content), limits.files) : 'base64' in file.bytes ? NOT_BASE64 : UNKNOWN;
    if (content && typeof head !== 'string') seen.push({ file, head, content });
    else bad.push({ file, text: String(head) });
  }
  const [first] = bad;
  if (first)
    throw fileRefusal(
      first.file.kind,
      bad.map(({ file, text }) => ({ pointer: file.pointer, text })),
    );
  const kept = new Map<GivenFile, BlobSource>();
  for (const { file, head, content } of seen) {
    const { sha256, bytes } = await blobs.put(tenantId, sessionId, head.media_type, content);
    kept.set(file, { type: 'blob', sha256, bytes, ...head });
  }
  return withKeptFiles(accepted, given, kept);
}

const NOT_BASE64 = 'is not base64; send the bytes themselves in standard base64, without a data: prefix';
const UNKNOWN = 'names no bytes that this session has';

const asBytes = (content: Uint8Array): Base64Bytes => ({ length: content.length, at: (index) => content[index] ?? 0 });

/** Between two large files everybody else has their turn. */
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
