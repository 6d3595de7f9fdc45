import { z } from 'zod';
import { uuid } from '../../http/schemas/json.js';

const rating = z.union([z.number(), z.string().min(1).max(100)]).meta({ description: 'A number or a word, as your own scale has it.' });

export const feedbackBody = z
  .strictObject({ requestId: uuid, rating, comment: z.string().max(10_000).nullable().optional() })
  .meta({ id: 'NewFeedback', examples: [{ requestId: '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e', rating: 'good', comment: 'To the point.' }] });

export const feedback = z
  .strictObject({ version: z.int(), feedbackId: uuid, requestId: uuid, rating, comment: z.string().nullable() })
  .meta({ id: 'Feedback' });
