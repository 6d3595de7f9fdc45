import type { Profile } from '../models/profiles.js';
import { betas } from './betas.js';
import { cacheControl } from './cache-control.js';
import { emptyContent } from './empty-content.js';
import { media } from './media.js';
import { model } from './model.js';
import { parameters } from './parameters.js';
import { placement } from './placement.js';
import { standIn, type Problem } from './problem.js';
import { isObject, read, type CheckSettings, type Stage } from './reading.js';
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
export type { CheckSettings, SignatureCheck, SignatureVerdict } from './reading.js';

/** What the model API checks, in its order as far as that is known: each line may rely on nothing above it having passed. */
export const STAGES: readonly (readonly [name: string, stage: Stage])[] = [
  ['wire', wire], // the body as text: well-formed, not too big
  ['model', model], // it exists
  ['betas', betas], // the header that goes with it
  ['schema', schema], // every field: there, of the right type, and expected
  ['parameters', parameters], // lengths, sampling, effort, thinking mode: what this model takes
  ['tools', tools], // names, deferral, references to tools
  ['cache-control', cacheControl], // before empty content: of a marked empty text this is the fault that is told
  ['empty-content', emptyContent],
  ['roles', roles], // who comes first, who follows whom, where a system message may stand
  ['placement', placement], // which block in whose message
  ['tool-pairs', toolPairs], // one call, one result
  ['server-tools', serverTools], // after the client's: a turn that breaks both is told of those
  ['thinking', thinking], // signatures, and where thinking must or must not stand
  ['trailing', trailing], // a conversation that ends with the assistant
  ['media', media], // pictures, PDFs, citations
  ['tokens', tokens], // the context window
];

/**
 * Everything that the model API would refuse in a request, the first problem being the one it would name.
 *
 * `body` is parsed JSON, `{model, max_tokens, messages, …}`, of any shape: this never throws. Time is linear in its size.
 * State that only the API has (files, containers, rate limits) is not checked.
 */
export function checkRequest(body: unknown, profile: Profile, settings: CheckSettings = {}): readonly Problem[] {
  if (!isObject(body)) return [{ rule: 'body-not-an-object', at: '', text: standIn('The request body must be a JSON object') }];
  const problems: Problem[] = [];
  const reading = read(body, profile, settings);
  for (const [, stage] of STAGES) stage(reading, (problem) => problems.push(problem));
  return problems;
}
