/**
 * A rejection: the request cannot be carried out, and the caller can do something about it. The code is public and stable; the message says what was wrong and what to
 * do, and never contains user content. Any other failure is either an unavailable dependency (retried, or 503) or a bug (500).
 */
export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** One entry per fault of the input: where (a JSON pointer), and what is wrong. */
    readonly faults: readonly FieldError[] = [],
    /** Further public members of the error response, such as the current version. */
    readonly details: Readonly<Record<string, string | number | boolean | readonly string[]>> = {},
  ) {
    super(message);
  }
}

export interface FieldError {
  readonly pointer: string;
  readonly text: string;
}

/** Every public error code. The HTTP layer maps each to a status; a code without one does not compile. */
export type ErrorCode =
  | 'invalid_input'
  | 'malformed_json'
  | 'empty_input'
  | 'unsupported_input'
  | 'image_rejected'
  | 'document_rejected'
  | 'unsupported_media_type'
  | 'nothing_to_import'
  | 'payload_too_large'
  | 'expectation_failed'
  | 'unauthenticated'
  | 'sign_in_rejected'
  | 'forbidden'
  | 'model_not_allowed'
  | 'last_admin'
  | 'not_found'
  | 'own_user'
  | 'session_not_found'
  | 'prompt_not_found'
  | 'turn_not_found'
  | 'request_not_found'
  | 'blob_not_found'
  | 'file_erased'
  | 'rewind_not_found'
  | 'branch_not_found'
  | 'schedule_not_found'
  | 'session_busy'
  | 'session_closed'
  | 'session_not_closed'
  | 'prompt_already_started'
  | 'message_not_on_path'
  | 'message_exists'
  | 'message_not_found'
  | 'nothing_to_compact'
  | 'session_erased'
  | 'session_has_forks'
  | 'legal_hold'
  | 'last_owner'
  | 'tool_call_not_waiting'
  | 'tool_call_not_found'
  | 'tool_unavailable'
  | 'synthetic_content'
  | 'limit_reached'
  | 'quota_exceeded'
  | 'version_conflict'
  | 'summary_outdated'
  | 'idempotency_mismatch'
  | 'turn_over'
  | 'rate_limited'
  | 'tenant_busy'
  | 'tenant_moving'
  | 'unavailable'
  | 'key_unavailable'
  | 'log_tampered'
  | 'server_outdated';

/** For the default arm of an exhaustive switch: does not compile when a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
