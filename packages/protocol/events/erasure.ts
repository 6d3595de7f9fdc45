import type { ObjectOf, TypeOf } from '../shape/shape.js';
import { choice, flag, integer, json, list, object, text, uuid, yes } from '../shape/shapes.js';

const erasedEvent = object({ seq: integer, data: json });
/** An event with erased content, and what is left of its data: ids, kinds, numbers and times, never content. */
export type ErasedEvent = TypeOf<typeof erasedEvent>;

export const filePlace = object({ version: uuid, index: integer.about('In `files` of the event.') });
/** A file of a change that is not erased: its path is said without naming it. */
export type FilePlace = TypeOf<typeof filePlace>;
const erasedFiles = object({ version: uuid, removed: list(filePlace) });

/** It has no content either, so it is never erased itself. */
export const contentErased = {
  erasureId: uuid.about('The same for all steps of an erasure.'),
  scope: choice('session', 'message'),
  messages: list(uuid).optional('Of scope `message`: the erased messages, first the one that was named, then those that were made with it.'),
  reason: text.nullable(),
  events: list(erasedEvent).about('The erased events, and what is left of their data.'),
  bytes: integer.about('Size of the data that this step erased, without files.'),
  blobs: integer.about('Files that this step took from the session.'),
  files: list(erasedFiles).optional(
    'Of scope `message`: the changes of files that were erased. After each, the files of earlier changes that it had replaced or deleted are gone, too.',
  ),
  untitled: yes.optional('The title of the session was made from erased content.'),
  isComplete: flag.about('false: more steps follow.'),
};
export type ContentErased = ObjectOf<typeof contentErased>;
