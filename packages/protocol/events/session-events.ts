import { component } from '../message/components.js';
import { MESSAGE, USAGE_OR_NONE } from '../message/message-skeleton.js';
import { permissionMode } from '../message/message.js';
import { toolDefinition } from '../message/tool-definition.js';
import { choice, either, integer, json, list, number, object, text, textLike, time, uuid, yes } from '../shape/shapes.js';
import { optionalMembers } from '../shape/shape.js';
import { ID, keep, oneOf, type Rule } from '../shape/skeleton-rule.js';
import { event } from './define-event.js';
import { name } from './facts.js';
import { forkedFrom, helperParent, importReport } from './origin.js';
import { sessionSettings } from './settings.js';

const at = time.optional('When it was made, of an import; absent: when it was recorded.');

/** Versions of the session's folder. */
const movedFiles = object({ from: uuid.nullable(), to: uuid.nullable() }).optional(
  "The versions of the session's folder before and after it; absent: its files stayed as they were.",
);

const messageFiles = object({ before: uuid.nullable(), at: uuid.nullable() }).optional(
  "Of an import: the versions of the session's folder that it was asked with and that it had. Absent: those of the message before it, and the current one.",
);

/** Of a line about a request that its program had sent, its number and the id stay. */
const THAT_THERE_WAS_A_REQUEST: Rule = {
  members: { line: keep('number'), value: { members: { type: keep(oneOf('api-request')), id: keep(ID) }, needs: ['type', 'id'] } },
  needs: ['line', 'value'],
};

/** Events of a session as a whole: its settings, its messages, its branches. */
export const SESSION_EVENTS = {
  'session.created': event({
    about: 'The session was created. With `importing`, its history follows, and it is not visible before `session.imported`.',
    data: {
      settings: object(sessionSettings).named('RecordedSettings', 'The settings of the session.'),
      importing: yes.optional(),
      forkedFrom: forkedFrom.optional(),
      parent: helperParent.optional('The call that the session was created for: it is a helper.'),
    },
    quotes: null,
    changes: ['list', 'messages', 'state'],
  }),

  // The second event of a fork's log; nothing is written to the parent session.
  'session.forked': event({
    about: 'The session is a fork; the history up to `at` is that of `from`.',
    data: { from: uuid, at: uuid.nullable(), seq: integer },
    quotes: null,
    changes: ['list'],
  }),

  'import.retained': event({
    about: 'Lines of the imported file that are not part of the conversation, unchanged.',
    data: { lines: list(object({ line: integer, value: json })).keeping({ items: THAT_THERE_WAS_A_REQUEST }, []) },
    quotes: 'import',
    changes: ['list'],
  }),

  'session.imported': event({
    about: 'The import is complete.',
    data: importReport,
    quotes: 'import',
    changes: ['list', 'messages', 'state'],
  }),

  'lines.appended': event({
    about:
      'Lines of a session file that a client keeps in this session, as its program wrote them. The messages that are made of them follow in the same append.',
    data: {
      lines: list(text),
      uuids: list(uuid.nullable()).about('Of each line; null: it has none.'),
      batch: textLike('^[0-9a-f]{64}$').nullable(
        'SHA-256 of the lines as they were sent, by which they are known when they are sent again; null: none of them has a uuid.',
      ),
      messages: list(
        object({
          uuid,
          name: uuid.about('The uuid that it has in the file.'),
          lines: list(integer).about('Lines that it is made of; they count from 1 in the whole file.'),
        }),
      ).about('The messages of the file that this append writes.'),
      head: uuid.nullable('The newest message of the active branch of the file, when it was written.'),
      summary: json.about('What the program says of the file for a list of files; null: what it said before.'),
    },
    quotes: 'import',
    changes: ['list'],
  }),

  'session.configured': event({
    about: 'Settings changed. Reload the session.',
    data: { changes: object(optionalMembers(sessionSettings)) },
    quotes: null,
    changes: ['list', 'state'],
  }),

  'session.titled': event({
    about: 'The model named the session.',
    data: { title: text, model: name, usage: component('ModelUsage').keeping(USAGE_OR_NONE) },
    quotes: 'later',
    changes: ['list', 'state'],
  }),

  'session.closed': event({
    about: 'The session accepts no prompts until it is reopened.',
    data: { reason: text.nullable() },
    quotes: null,
    changes: ['list', 'state'],
  }),

  'session.reopened': event({
    about: 'The session accepts prompts again.',
    data: {},
    quotes: null,
    changes: ['list', 'state'],
  }),

  'message.appended': event({
    about:
      'A message was appended to the conversation. It replaces the deltas of its request, and the message with the same uuid, if there is one: of a session file, further lines of it came.',
    data: {
      message: component('Message').keeping(MESSAGE),
      turnId: uuid.nullable(),
      promptId: uuid.optional(),
      files: messageFiles,
    },
    quotes: 'message',
    changes: ['list', 'messages', 'state'],
  }),

  'session.rewound': event({
    about:
      'Messages were removed from the conversation, the files went back, or both. Reload the messages. With `files` and the same message as `from` and `to`: the files alone.',
    data: {
      rewindId: uuid,
      before: uuid.optional(),
      after: uuid.optional(),
      from: uuid.nullable(),
      to: uuid.nullable(),
      removed: list(uuid),
      permissionMode,
      reason: text.nullable(),
      at,
      cause: choice('edit', 'regenerate').optional('A prompt took the place of the removed messages; absent: only the head moved.'),
      replacedBy: uuid.optional('Uuid of the message of that prompt.'),
      files: movedFiles,
    },
    quotes: null,
    changes: ['list', 'messages', 'state'],
  }),

  'session.restored': event({
    about: 'An earlier branch became the current one. Reload the messages.',
    data: {
      rewindId: uuid.nullable('The rewind that was undone; null: the branch had been left by another restore.'),
      from: uuid.nullable(),
      to: uuid.nullable(),
      permissionMode,
      at,
      files: movedFiles,
    },
    quotes: null,
    changes: ['list', 'messages', 'state'],
  }),

  'session.compacted': event({
    about: 'The conversation was compacted. The transcript keeps every message.',
    data: {
      compactionId: uuid,
      turnId: uuid,
      requestId: uuid,
      boundary: uuid.about('Uuid of the first of the two messages that it appended.'),
      summary: uuid.about('Uuid of the second.'),
      keptFrom: uuid.nullable(),
      trigger: choice('manual', 'auto').erasedAs('auto'),
      instructions: text.nullable(),
      omitted: integer,
      preTokens: number.nullable(),
      summaryTokens: number.nullable('Output tokens of the summary; null when the provider did not report them.'),
    },
    quotes: 'compaction',
    changes: ['list'],
  }),

  'session.tools_changed': event({
    about: 'The tools of the server that the model is offered from here on.',
    data: { tools: list(toolDefinition) },
    quotes: null,
    changes: [],
  }),

  'feedback.recorded': event({
    about: 'Feedback on an answer was recorded.',
    data: {
      feedbackId: uuid,
      requestId: uuid.about('The model request whose answer is rated.'),
      rating: either(number, text).keeping(keep('number'), '').about("A number or a word on the client's own scale."),
      comment: text.nullable(),
    },
    quotes: 'answer',
    changes: ['list'],
  }),
};
