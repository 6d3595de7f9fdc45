import { z } from 'zod';
import { label, LABEL_LENGTH, uuid } from '../../http/schemas/json.js';

export const forkBody = z
  .strictObject({
    at: uuid.optional().meta({ description: 'The last message that both sessions share. Left out: the newest; while a turn runs, the last one before it.' }),
    title: label(LABEL_LENGTH).nullable().optional(),
  })
  .meta({ id: 'Fork', examples: [{ title: 'another way' }, { at: '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e', title: 'another way' }] });
