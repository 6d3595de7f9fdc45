/** Texts sent where the model API requires content and the conversation has none. Each one that is sent is in the trace as `added` or `changed`. */

/** First user turn of a conversation that begins with the assistant. */
export const CONVERSATION_BEGINS = '(the conversation begins with the assistant)';

/** Last user turn of a conversation that ends with the assistant, for models without prefill. */
export const CONTINUE = '(continue)';

/** Content of a failed tool result without text. */
export const ERROR_WITHOUT_TEXT = '(the tool failed and gave no text)';

/** Name of a tool call without a name. */
export const NAMELESS_TOOL = 'unnamed_tool';

/** Replaces an image or document that cannot be sent. `why` is a predicate, such as "is password protected". */
export const mediaLeftOut = (why: string): string => `(an attached file was left out: it ${why})`;

/** Replaces an image or document without usable data. */
export const MEDIA_UNUSABLE = mediaLeftOut('holds no usable data');

/** Replaces an image or document over the limits of one request. */
export const MEDIA_OVER_LIMIT = '(an earlier attached file was left out: a request holds only so many)';

/** Content of a tool result that the provider rejected. */
export const RESULT_REJECTED = '(the content of this result was left out: the model provider rejected it)';

/** Follows tool results that contain tool references. */
export const TOOLS_LOADED = '(the tools are loaded)';
