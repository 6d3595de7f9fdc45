import type { Json } from './content.js';

export interface Attachment {
  readonly type: string;
  readonly [key: string]: Json;
}

/** Type of the attachment that tells readers that a source of attachments was skipped; never sent. */
export const OMITTED = 'attachments_omitted';
