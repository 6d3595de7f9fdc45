import { z } from 'zod';
import type { Content } from '../../core/message/content.js';
import { list } from './bounded.js';

/** Maximum number of blocks in one content. */
const MAX_BLOCKS = 10_000;

/** A content block of the model API. Unknown types pass unchanged; normalization decides which blocks can be sent. */
const block = z
  .looseObject({ type: z.string().min(1) })
  .superRefine((value, context) => {
    if (value.type === 'text' && typeof value['text'] !== 'string') context.addIssue({ code: 'custom', path: ['text'], message: 'must be a string' });
  })
  .meta({ id: 'ContentBlock', description: 'A content block of the model API.', examples: [{ type: 'text', text: 'What is 2+2?' }] });

export const content = z.union([z.string(), list(block, MAX_BLOCKS)]).meta({ id: 'Content', description: 'Text, or content blocks.' }) as unknown as z.ZodType<
  Content,
  Content
>;
