import type { ErrorCode } from '../../core/errors.js';

/** The code that only the HTTP edge gives: we are at fault. */
export type ProblemCode = ErrorCode | 'internal_error';

/** Every public code's status and its title, the one sentence that is the same each time. */
export const PROBLEMS: Readonly<Record<ProblemCode, readonly [status: number, title: string]>> = {
  invalid_input: [400, 'The request is not of the expected shape'],
  malformed_json: [400, 'The body is not JSON'],
  empty_input: [422, 'The prompt is empty'],
  unsupported_input: [422, 'The prompt holds something this server does not take'],
  image_rejected: [422, 'An image of the prompt cannot be used'],
  document_rejected: [422, 'A document of the prompt cannot be used'],
  nothing_to_import: [422, 'The file holds nothing that can be imported'],
  payload_too_large: [413, 'Too large'],
  unsupported_media_type: [415, 'The body is of a type this route does not take'],
  unauthenticated: [401, 'No valid credentials'],
  forbidden: [403, 'Not allowed'],
  not_found: [404, 'Not found'],
  session_not_found: [404, 'No such session'],
  prompt_not_found: [404, 'No such prompt'],
  turn_not_found: [404, 'No such turn'],
  request_not_found: [404, 'No such request'],
  blob_not_found: [404, 'No such file'],
  rewind_not_found: [404, 'No such rewind'],
  tool_call_not_found: [404, 'No such tool call'],
  session_busy: [409, 'A turn is running'],
  session_closed: [409, 'The session is closed'],
  session_not_closed: [409, 'The session is not closed'],
  prompt_already_started: [409, 'The prompt has started'],
  message_not_on_path: [409, 'The message is not part of the conversation now'],
  message_exists: [409, 'A message with this uuid exists'],
  nothing_to_compact: [409, 'There is nothing to compact'],
  tool_call_not_waiting: [409, 'No such tool call waits for a result'],
  tool_unavailable: [422, 'The tool is not available'],
  synthetic_content: [422, 'What was sent holds text that nobody wrote'],
  limit_reached: [429, 'A limit is reached'],
  version_conflict: [412, 'The session has changed'],
  idempotency_mismatch: [422, 'The idempotency key was used for another request'],
  turn_over: [409, 'The turn is over'],
  rate_limited: [429, 'Too many requests'],
  unavailable: [503, 'Not available at the moment'],
  internal_error: [500, 'Something went wrong on our side'],
};
