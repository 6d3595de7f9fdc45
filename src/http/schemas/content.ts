import { z } from 'zod';
import type { Content } from '../../../packages/protocol/message/content.js';
import { contentBlock } from './block-schemas.js';
import { list } from './bounded.js';

export const content = z
  .union([z.string(), list(contentBlock, 'MAX_CONTENT_BLOCKS')])
  .meta({ id: 'Content', description: 'Text, or content blocks.' }) as unknown as z.ZodType<Content, Content>;
