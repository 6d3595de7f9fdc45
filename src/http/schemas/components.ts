import type { z } from 'zod';
import type { Components } from '../../../packages/protocol/message/components.js';
import { attachmentSchema } from './attachment-schemas.js';
import { blobSource } from './block-schemas.js';
import { content } from './content.js';
import { display } from './display-schemas.js';
import { cacheDiagnostics, draft, inputTransformation, message, modelUsage, storedMessage } from './message-schemas.js';
import { modelOptions } from './model-option-schemas.js';

/** The schemas of the parts of events that bodies of requests and answers of the model API have as well. */
export const COMPONENTS: { readonly [Name in keyof Components]: z.ZodType<Components[Name]> } = {
  Message: storedMessage,
  AnyMessage: message,
  MessageDraft: draft,
  ModelUsage: modelUsage,
  ModelOptions: modelOptions,
  Content: content,
  Attachment: attachmentSchema as unknown as z.ZodType<Components['Attachment']>,
  StoredSource: blobSource as unknown as z.ZodType<Components['StoredSource']>,
  Display: display,
  CacheDiagnostics: cacheDiagnostics,
  InputTransformation: inputTransformation,
};
