import { AttachmentProvider, type AttachmentRequest } from '../../core/ports.js';
import type { Attachment } from '../../core/message/attachment.js';

/** Attachments that the client sent with the prompt, such as the editor's selection, open files, a diff or a todo list. */
export class ClientSent extends AttachmentProvider {
  override readonly name = 'client';

  override async gather({ submission }: AttachmentRequest): Promise<readonly Attachment[]> {
    return submission.attachments ?? [];
  }
}
