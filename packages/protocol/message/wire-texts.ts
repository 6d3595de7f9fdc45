/** Texts that are recognised in stored conversations and by other programs. They must not change. */

export const INTERRUPTED = '[Request interrupted by user]';
export const INTERRUPTED_FOR_TOOL_USE = '[Request interrupted by user for tool use]';

/** Placeholder for a lost tool result. Conversations that contain it are excluded from training data. */
export const RESULT_MISSING = '[Tool result missing due to internal error]';

export const STOPPED_BY_HOOK = 'Operation stopped by hook';

/** Result of a call that the user cancelled, or that was open when its turn was interrupted. */
export const CANCELLED = "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to say how to go on.";

/** Result of a call that a person rejected, without and with feedback. */
export const REJECTED =
  "The user doesn't want to proceed with this tool use. The call was not run. STOP what you are doing and wait for the user to say how to go on.";
export const REJECTED_WITH_FEEDBACK = "The user doesn't want to proceed with this tool use. The call was not run. This is what the user said about it:";

/** Result of a call that was running when its worker was lost: it may or may not have taken effect. */
export const OUTCOME_UNKNOWN = 'The outcome of this tool call is unknown: the process that ran it was lost. It was not run again.';

/** Placeholder for an empty answer of the model where the model API requires content. */
export const NO_CONTENT = '(no content)';

/** Stands for erased content, also in requests. */
export const ERASED = '[Erased]';

export const REMINDER_OPEN = '<system-reminder>';
export const REMINDER_CLOSE = '</system-reminder>';

/** A text of the system in a user message. */
export const reminder = (text: string): string => `${REMINDER_OPEN}\n${text}\n${REMINDER_CLOSE}`;

/** What `reminder` was made of. */
export const unreminded = (text: string): string => text.slice(REMINDER_OPEN.length + 1, -REMINDER_CLOSE.length - 1);

/** Beginning of the request for a summary. */
/** Begins the request for the title of a session. */
export const TITLE_OPENING =
  'Write a title of at most eight words for the conversation that begins as follows, in its language. Answer with the title alone, without quotation marks.';

export const COMPACTION_OPENING = 'Write the summary that will stand in the place of the conversation so far.';

/** Beginning of the message that holds a summary. */
export const SUMMARY_OPENING = 'This conversation began earlier. To make room, that part of it was replaced by the summary below.';
