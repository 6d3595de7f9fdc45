import { type ClientSubmission } from '../../session/prompt/accept.js';
import {
  type FileLimits,
  type FileMetadata,
  filesRejected,
  givenFiles,
  type GivenFile,
  inspectFile,
  withStoredFiles,
} from '../../session/prompt/files/index.js';
import type { BlobSource } from '../../../packages/protocol/message/content.js';
import { type Blobs, type Sessions } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import { asBytes, decodeBase64 } from './decode-base64.js';
import type { CommandContext } from './context.js';
import type { Submission } from '../../../packages/protocol/message/submission.js';

interface Ports {
  readonly blobs: Blobs;
  readonly sessions: Sessions;
  readonly limits: FileLimits;
}

/** A file that passed inspection. */
interface Inspected {
  readonly file: GivenFile;
  readonly head: FileMetadata;
  readonly content: Uint8Array;
}

/**
 * Stores the files of a prompt as blobs, before the prompt is appended: events refer to blobs by hash. All files are inspected first, so that nothing of a
 * rejected prompt is stored.
 */
export async function storeUploads({ principal, sessionId }: CommandContext, given: ClientSubmission, accepted: Submission, ports: Ports): Promise<Submission> {
  const { blobs, sessions, limits } = ports;
  const files = givenFiles(given, limits);
  if (files.length === 0) return accepted;
  const { tenantId } = principal;
  requireAccess(await sessions.load(tenantId, sessionId), principal);
  const named = files.flatMap(({ bytes }) => ('sha256' in bytes ? [bytes.sha256] : []));
  const known = named.length === 0 ? null : await blobs.get(tenantId, sessionId, [...new Set(named)]);
  const inspected: Inspected[] = [];
  const bad: { readonly file: GivenFile; readonly text: string }[] = [];
  for (const file of files) {
    await nextTick();
    const content = 'base64' in file.bytes ? decodeBase64(file.bytes.base64) : (known?.get(file.bytes.sha256)?.content ?? null);
    const head = content ? inspectFile(file.kind, asBytes(content), limits) : 'base64' in file.bytes ? NOT_BASE64 : UNKNOWN;
    if (content && typeof head !== 'string') inspected.push({ file, head, content });
    else bad.push({ file, text: String(head) });
  }
  const [first] = bad;
  if (first)
    throw filesRejected(
      first.file.kind,
      bad.map(({ file, text }) => ({ pointer: file.pointer, text })),
    );
  const stored = new Map<GivenFile, BlobSource>();
  for (const { file, head, content } of inspected) {
    const { sha256, bytes } = await blobs.put(tenantId, sessionId, head.media_type, content);
    stored.set(file, { type: 'blob', sha256, bytes, ...head });
  }
  return withStoredFiles(accepted, given, stored);
}

const NOT_BASE64 = 'is not base64; send the bytes in standard base64, without a data: prefix';
const UNKNOWN = 'names a file that this session does not have';

/** Decoding one large file takes milliseconds; other requests run between two files. */
const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
