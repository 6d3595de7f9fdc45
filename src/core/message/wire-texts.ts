/** Texts that other code recognises on the wire. Changing one changes what stored conversations mean. */

export const INTERRUPTED = '[Request interrupted by user]';
export const INTERRUPTED_FOR_TOOL_USE = '[Request interrupted by user for tool use]';

/** Stands where a tool's result was lost. Conversations that contain it are no training data. */
export const RESULT_MISSING = '[Tool result missing due to internal error]';

export const STOPPED_BY_HOOK = 'Operation stopped by hook';

/** Result of a call that the user took back, or whose turn was interrupted before the call settled. */
export const CANCELLED = "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to say how to go on.";

/** Result of a call that a person refused, without a word and with one. */
export const REJECTED =
  "The user doesn't want to proceed with this tool use. The call was not run. STOP what you are doing and wait for the user to say how to go on.";
export const REJECTED_WITH_FEEDBACK = "The user doesn't want to proceed with this tool use. The call was not run. This is what the user said about it:";

/** Result of a call that was running when its worker was lost: it may or may not have taken effect. */
export const OUTCOME_UNKNOWN = 'The outcome of this tool call is unknown: the process that ran it was lost. It was not run again.';

/** Stands in for a model answer without any content, where the model API demands some. */
export const NO_CONTENT = '(no content)';

export const REMINDER_OPEN = '<system-reminder>';
export const REMINDER_CLOSE = '</system-reminder>';

/** Begins the request for a summary of the conversation in front of it. */
export const COMPACTION_OPENING = 'Write the summary that will stand in the place of the conversation so far.';

/** Begins the message that holds such a summary. */
export const SUMMARY_OPENING = 'This conversation began earlier. To make room, that part of it was replaced by the summary below.';
