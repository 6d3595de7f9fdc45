import type { Profile } from '../models/profiles.js';
import { betas } from './betas.js';
import { cacheControl } from './cache-control.js';
import { emptyContent } from './empty-content.js';
import { media } from './media.js';
import { model } from './model.js';
import { parameters } from './parameters.js';
import { placement } from './placement.js';
import { standIn, type Problem } from './problem.js';
import { isObject, parseRequest, type CheckSettings, type Stage } from './parsed-request.js';
import { roles } from './roles.js';
import { schema } from './schema/schema.js';
import { serverTools } from './server-tools.js';
import { thinking } from './thinking.js';
import { tokens } from './tokens.js';
import { toolPairs } from './tool-pairs.js';
import { tools } from './tools.js';
import { trailing } from './trailing.js';
import { wire } from './wire.js';

export { apiError, type ApiError, type Problem } from './problem.js';
export { RULES, type Rule } from './rules.js';
export { lacksThinking } from './thinking.js';
export { API_VERSIONS, SENT_API_VERSION } from './parsed-request.js';
export type { ApiVersion, CheckSettings, SignatureCheck, SignatureVerdict } from './parsed-request.js';

/** What the model API checks, in its order as far as that is known. A stage must not assume that an earlier stage passed. */
export const STAGES: readonly (readonly [name: string, stage: Stage])[] = [
  ['wire', wire], // the serialized body: well-formed Unicode, size
  ['model', model], // the model exists
  ['betas', betas], // the `anthropic-beta` header
  ['schema', schema], // every field: required, of the right type, or not permitted
  ['parameters', parameters], // lengths, sampling, effort, thinking mode, per model
  ['tools', tools], // names, deferral, references to tools
  ['cache-control', cacheControl], // before empty content: the API reports this rule for an empty text with a marker
  ['empty-content', emptyContent],
  ['roles', roles], // first role, alternation, position of system messages
  ['placement', placement], // which block types a role may hold
  ['tool-pairs', toolPairs], // exactly one result per call
  ['server-tools', serverTools], // after tool pairs: the API reports those first
  ['thinking', thinking], // signatures and position of thinking blocks
  ['trailing', trailing], // prefill: the last message is an assistant message
  ['media', media], // images, PDFs, citations
  ['tokens', tokens], // the context window
];

/**
 * Checks a request body against the rules of the Messages API. Returns all violations; the first is the one the API would report.
 *
 * `body` is parsed JSON, `{model, max_tokens, messages, …}`, of any shape. Never throws. Runs in linear time.
 * State that only the API has (files, containers, rate limits) is not checked.
 */
export function checkRequest(body: unknown, profile: Profile, settings: CheckSettings = {}): readonly Problem[] {
  if (!isObject(body)) return [{ rule: 'body-not-an-object', at: '', text: standIn('The request body must be a JSON object') }];
  const problems: Problem[] = [];
  const request = parseRequest(body, profile, settings);
  for (const [, stage] of STAGES) stage(request, (problem) => problems.push(problem));
  return problems;
}
