import type { Attachment } from '../../../packages/protocol/message/attachment.js';
import { hasInlineBytes } from '../../../packages/normalizer/media/out-of-line.js';
import { blobsIn } from '../../../packages/normalizer/embedded-messages.js';
import { filesRejected } from '../../session/prompt/files/index.js';
import type { Blobs, Sessions } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import type { CommandContext } from '../commands/context.js';
import type { MessageMedia } from './message-media.js';

interface Ports {
  readonly blobs: Blobs;
  readonly sessions: Sessions;
  readonly media: MessageMedia;
}

const namesIn = (attachment: Attachment): readonly string[] =>
  blobsIn({ type: 'attachment', uuid: '', parentUuid: null, timestamp: '', attachment }).map(({ sha256 }) => sha256);

/** Stores the bytes in attachments of a prompt. They may refer to bytes that the session has, as those of a prompt that is sent again do. */
export async function storeAttachments(
  { principal, sessionId }: CommandContext,
  attachments: readonly Attachment[],
  { blobs, sessions, media }: Ports,
): Promise<readonly Attachment[]> {
  const names = attachments.map(namesIn);
  const named = new Set(names.flat());
  if (named.size === 0 && !attachments.some(hasInlineBytes)) return attachments;
  const { tenantId } = principal;
  const state = await sessions.load(tenantId, sessionId);
  requireAccess(state, principal);
  const { model } = state.settings;
  const known = await blobs.get(tenantId, sessionId, [...named]);
  const unknown = names.flatMap((of, index) => (of.every((name) => known.has(name)) ? [] : [{ pointer: `/attachments/${index}`, text: UNKNOWN }]));
  if (unknown.length > 0) throw filesRejected('image', unknown);
  const stored: Attachment[] = [];
  for (const attachment of attachments) stored.push(await media.attachment({ tenantId, sessionId }, attachment, model));
  return stored;
}

const UNKNOWN = 'names a file that this session does not have';
