/** Texts that stand where the model API demands something and the conversation has nothing. Every one that is sent is in the trace as `made`. */

/** In front of a conversation that begins with the assistant. */
export const CONVERSATION_BEGINS = '(the conversation begins with the assistant)';

/** Behind a conversation that ends with the assistant, for models that cannot go on from there. */
export const CONTINUE = '(continue)';

/** In a failed tool result that does not say what went wrong. */
export const ERROR_WITHOUT_TEXT = '(the tool failed and gave no text)';

/** Name of a called tool that has none. */
export const NAMELESS_TOOL = 'unnamed_tool';

/** For an image or a document without usable data. */
export const MEDIA_UNUSABLE = '(an attached file was left out: it holds no usable data)';

/** For an image or a document that is past the limit on media in one request. */
export const MEDIA_OVER_LIMIT = '(an earlier attached file was left out: a request holds only so many)';

/** Behind results that name tools which were found. */
export const TOOLS_LOADED = '(the tools are loaded)';
