import { AttachmentProvider, type AttachmentRequest } from '../../core/ports.js';
import type { Attachment } from '../../core/message/attachment.js';

/** What the client sent along: what is selected or open in its editor, a diff, things to do, whatever it knows. */
export class ClientSent extends AttachmentProvider {
  override readonly name = 'client';

  override async gather({ submission }: AttachmentRequest): Promise<readonly Attachment[]> {
    return submission.attachments ?? [];
  }
}
