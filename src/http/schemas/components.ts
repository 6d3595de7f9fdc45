import type { z } from 'zod';
import type { Components } from '../../../packages/protocol/message/components.js';
import { display } from './display-schemas.js';
import { cacheDiagnostics, draft, inputTransformation, message, modelUsage, storedMessage } from './message-schemas.js';
import { modelOptions } from './model-option-schemas.js';
import { submission } from './submission-schema.js';

/** The schemas of the parts of events that bodies of requests and answers of the model API have as well. */
export const COMPONENTS: { readonly [Name in keyof Components]: z.ZodType<Components[Name]> } = {
  Message: storedMessage,
  AnyMessage: message,
  MessageDraft: draft,
  ModelUsage: modelUsage,
  ModelOptions: modelOptions,
  Submission: submission,
  Display: display,
  CacheDiagnostics: cacheDiagnostics,
  InputTransformation: inputTransformation,
};
