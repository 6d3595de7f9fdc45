import type { Json } from '../json.js';
import { Shape } from '../shape/shape.js';
import type { Attachment } from './attachment.js';
import type { BlobSource, Content } from './content.js';
import type { Draft } from './draft.js';
import type { Message, StoredMessage, Usage } from './message.js';
import type { ModelOptions } from './model-options.js';

/** Parts of events that bodies of requests and answers of the model API have as well: their schemas, with limits, are in src/http/schemas. */
export interface Components {
  readonly Message: StoredMessage;
  /** With those that a client may receive before they are stored. */
  readonly AnyMessage: Message;
  readonly MessageDraft: Draft;
  readonly ModelUsage: Usage;
  readonly ModelOptions: ModelOptions;
  readonly Content: Content;
  readonly Attachment: Attachment;
  readonly StoredSource: BlobSource;
  readonly Display: Json;
  readonly CacheDiagnostics: Json;
  readonly InputTransformation: Json;
}

/** Content, unless it is said what is kept. */
export const component = <Name extends keyof Components>(name: Name): Shape<Components[Name]> =>
  new Shape({ is: 'component', component: name }, { kept: null, erased: null, isOpen: true }, 'always');
