import { USAGE } from '../message/message-skeleton.js';
import {
  constant,
  ID,
  ID_OR_EMPTY,
  ID_OR_NULL,
  keep,
  keepOr,
  MODE,
  NUMBER,
  NUMBER_OR_NULL,
  oneOf,
  required,
  type Rule,
  type Rules,
} from '../message/skeleton-rule.js';
import { NO_SETTINGS } from './settings.js';

/** A model or a version, on one line. */
export const NAME = '^[ -\\[\\]-~\\u00a0-\\ud7ff]{1,200}$';
export const NAME_OR_EMPTY = keepOr('', NAME);
export const HASH = '^[0-9a-f]{64}$';
export const EMPTY = constant('');
export const NULL = constant(null);

/** Settings that are content are taken out of a change, and empty at the start of a session. */
export const SETTINGS: Rules = {
  model: keep(NAME),
  permissionMode: keep(MODE),
  archived: keep('boolean'),
  autoCompact: keep('boolean', 'null'),
  retentionDays: keep('number', 'null'),
};

export const FIRST_SETTINGS: Rules = {
  ...Object.fromEntries(Object.entries(NO_SETTINGS).map(([name, value]) => [name, constant(value as never)])),
  ...SETTINGS,
  model: NAME_OR_EMPTY,
  permissionMode: keepOr('default', MODE),
};

export const FAILURE = required({ code: ID_OR_EMPTY, message: EMPTY, status: keep('number'), providerRequestId: keep(ID) });

export const ROUTE: Rule = {
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

export const DECIDED_BY: Rule = {
  by: 'kind',
  cases: {
    rule: { members: { kind: constant('rule'), rule: EMPTY, source: keepOr('session', oneOf('deployment', 'tenant', 'session', 'command')) } },
    hook: { members: { kind: constant('hook'), hookRunId: ID_OR_EMPTY } },
    mode: { members: { kind: constant('mode'), mode: keepOr('default', MODE) } },
    person: { members: { kind: constant('person'), id: ID_OR_EMPTY } },
  },
  else: { members: { kind: constant('timeout') }, else: constant({ kind: 'timeout' }) },
};

export const USAGE_OR_NONE: Rule = { ...USAGE, else: constant({}) };

export const TRIGGER = keepOr('auto', oneOf('manual', 'auto'));

export const COMPACTION: Rule = {
  members: {
    trigger: TRIGGER,
    instructions: NULL,
    keptFrom: ID_OR_NULL,
    from: ID_OR_NULL,
    to: ID_OR_NULL,
    omitted: NUMBER,
    preTokens: NUMBER_OR_NULL,
  },
};

/** The name of a group is a text; the id of a user stays, as in `actor`. */
export const PRINCIPAL = keepOr('group:', '^user:[A-Za-z0-9_-]{1,128}$');
