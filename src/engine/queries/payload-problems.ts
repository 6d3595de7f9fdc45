import { checkRequest } from '../../../packages/normalizer/api-rules/index.js';
import type { BuiltPayload } from '../../../packages/normalizer/build-payload.js';
import { requestBetas } from '../../../packages/normalizer/models/betas.js';
import { profileFor, type Provider } from '../../../packages/normalizer/models/profiles.js';
import type { PayloadProblem } from './views.js';

/** What the model API would refuse in a payload. */
export function problemsOf(payload: BuiltPayload['payload'], gates: { readonly advisor: boolean }, provider?: Provider): readonly PayloadProblem[] {
  return checkRequest(payload, profileFor(payload.model, provider), { betas: requestBetas([], gates, '', payload) }).map(({ rule, at, text }) => ({
    rule,
    at,
    text,
  }));
}
