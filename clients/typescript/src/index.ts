export type * from './api.js';
export { type ChangeOptions } from './changes.js';
export { type Client, createClient, paginate } from './client.js';
export { Conversation, type Draft, type TranscriptMessage } from './conversation.js';
export { type EventOptions, isStored } from './events.js';
export { fileBlock } from './files.js';
export type { AnswerOf, RequestOf } from './operations.js';
export { type ErrorCode, ProblemError } from './problem.js';
export { type CallOptions, type ClientOptions } from './transport.js';
