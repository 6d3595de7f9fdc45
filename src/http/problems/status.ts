import type { ErrorCode } from '../../core/errors.js';

/** `internal_error`: a bug of the server, which only the HTTP layer reports. */
export type ProblemCode = ErrorCode | 'internal_error';

/** Status and title of every public code. The title is the same for every occurrence (RFC 9457). */
export const PROBLEMS: Readonly<Record<ProblemCode, readonly [status: number, title: string]>> = {
  invalid_input: [400, 'The request does not match its schema'],
  malformed_json: [400, 'The body is not valid JSON'],
  empty_input: [422, 'The prompt is empty'],
  unsupported_input: [422, 'The prompt contains unsupported input'],
  image_rejected: [422, 'An image of the prompt cannot be used'],
  document_rejected: [422, 'A document of the prompt cannot be used'],
  nothing_to_import: [422, 'The file contains no messages'],
  payload_too_large: [413, 'The payload is too large'],
  unsupported_media_type: [415, 'The media type of the body is not supported'],
  unauthenticated: [401, 'Missing or invalid credentials'],
  forbidden: [403, 'Permission denied'],
  not_found: [404, 'Not found'],
  session_not_found: [404, 'Session not found'],
  prompt_not_found: [404, 'Prompt not found'],
  turn_not_found: [404, 'Turn not found'],
  request_not_found: [404, 'Request not found'],
  blob_not_found: [404, 'File not found'],
  rewind_not_found: [404, 'Rewind not found'],
  tool_call_not_found: [404, 'Tool call not found'],
  session_busy: [409, 'A turn is running'],
  session_closed: [409, 'The session is closed'],
  session_not_closed: [409, 'The session is not closed'],
  prompt_already_started: [409, 'The prompt has already started'],
  message_not_on_path: [409, 'The message is not on the current path'],
  message_exists: [409, 'A message with this uuid already exists'],
  nothing_to_compact: [409, 'Nothing to compact'],
  tool_call_not_waiting: [409, 'The tool call is not waiting for this'],
  tool_unavailable: [422, 'The tool is not available'],
  synthetic_content: [422, 'The payload contains synthetic content'],
  limit_reached: [429, 'A limit has been reached'],
  version_conflict: [412, 'The session has changed'],
  idempotency_mismatch: [422, 'The idempotency key was used with another request'],
  turn_over: [409, 'The turn has ended'],
  rate_limited: [429, 'Too many requests'],
  unavailable: [503, 'Temporarily unavailable'],
  internal_error: [500, 'Internal server error'],
};
