import { AttachmentProvider, type AttachmentRequest } from '../../ports/index.js';
import type { Attachment } from '../../../packages/protocol/message/attachment.js';

/** Attachments that the client sent with the prompt, such as the editor's selection, open files, a diff or a todo list. */
export class ClientSent extends AttachmentProvider {
  override readonly name = 'client';

  override async gather({ submission }: AttachmentRequest): Promise<readonly Attachment[]> {
    return submission.attachments ?? [];
  }
}
