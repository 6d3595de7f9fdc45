import type { Json } from './content.js';

export interface Attachment {
  readonly type: string;
  readonly [key: string]: Json;
}
