import { constant, ID_OR_EMPTY, keep, keepOr, oneOf, required, type Rule } from '../shape/skeleton-rule.js';

const EMPTY = constant('');

const ROUTE: Rule = {
  by: 'kind',
  cases: {
    prompt: { members: { kind: constant('prompt') } },
    bash: { members: { kind: constant('bash') } },
    exit: { members: { kind: constant('exit') } },
    command: { members: { kind: constant('command'), command: keepOr('client', oneOf('client', 'local', 'prompt', 'turn')), name: EMPTY } },
    rejected: { members: { kind: constant('rejected'), name: EMPTY, reason: keepOr('unknown', oneOf('unknown', 'remote', 'model_only')) } },
  },
};

export const SUBMISSION = required({
  promptId: ID_OR_EMPTY,
  turnId: ID_OR_EMPTY,
  uuid: ID_OR_EMPTY,
  mode: keepOr('prompt', oneOf('prompt', 'bash', 'compact')),
  original: EMPTY,
  route: ROUTE,
  isMeta: keep('true'),
});
