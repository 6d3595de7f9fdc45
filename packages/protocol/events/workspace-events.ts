import type { TypeOf } from '../shape/shape.js';
import { choice, integer, key, list, object, text, time, uuid } from '../shape/shapes.js';
import { event } from './define-event.js';
import { filePlace } from './erasure.js';

const workspaceFile = object({
  type: choice('blob'),
  path: text.about("From the session's folder, with `/` between its parts."),
  mode: integer.about('As of stat: permissions, and for a symbolic link 0120777 (its content is its target).'),
  sha256: text,
  size: integer.about('Bytes.'),
});
/** A file of a session's folder. */
export type WorkspaceFile = Omit<TypeOf<typeof workspaceFile>, 'type'>;

/** The mode of a symbolic link, whose content is its target. */
export const LINK_MODE = 0o120777;

/** Why an entry of the folder is not recorded. */
export const SKIP_REASONS = [
  'too_large',
  'too_many',
  'too_many_bytes',
  'too_deep',
  'special',
  'link_outside',
  'foreign',
  'name',
  'unreadable',
  'quota',
  'missing',
] as const;
/** Entries of a change that are named as skipped. */
export const MOST_SKIPPED = 100;
const skipReason = choice(...SKIP_REASONS);

const workspaceChange = {
  version: uuid.about('Names the files of the folder after this change.'),
  base: uuid.nullable('The version that it changes; null: an empty folder.'),
  cause: choice('step', 'outside').about('`outside`: found in the folder before a step, so something else than a recorded step has made it.'),
  toolUseId: key.optional('The call after which it was found; absent: it was none.'),
  files: list(workspaceFile).content([]).about('Files that are new or have changed.'),
  deleted: list(text).about('Paths of files that are gone.'),
  skipped: list(object({ path: text, reason: skipReason })).about(
    'What is in the folder and is not recorded; the first of them. `missing`: an import had no content of it.',
  ),
  prompt: uuid.optional('Of an import: the message of the prompt whose turn has made the change, without a call.'),
  removed: list(filePlace).optional(
    'Of an import: the change had been erased, and these files of earlier changes, which it had replaced or deleted, are gone, too.',
  ),
  at: time.optional('When it was found, of an import; absent: when it was recorded.'),
};

export type SkipReason = TypeOf<typeof skipReason>;

/** Events of the session's folder. */
export const WORKSPACE_EVENTS = {
  'workspace.changed': event({
    about: "The files of the session's folder changed. Unless `base` is the current version, the current files stay as they were.",
    data: { turnId: uuid.optional('Absent: it was imported.'), ...workspaceChange },
    quotes: 'step',
    changes: [],
  }),
};
