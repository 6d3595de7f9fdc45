import { permissionMode } from '../message/message.js';
import type { TypeOf } from '../shape/shape.js';
import { choice, key, kinds, text, uuid } from '../shape/shapes.js';
import { RULE_SOURCES } from './rule.js';

export const decidedBy = kinds({
  rule: { rule: text, source: choice(...RULE_SOURCES).erasedAs('session') },
  hook: { hookRunId: uuid },
  mode: { mode: permissionMode },
  person: { id: key },
  /** No decision in time. */
  timeout: {},
})
  .erasedAs({ kind: 'timeout' })
  .named('DecidedBy', 'What decided the tool call.');
/** What decided whether a tool call runs. */
export type DecidedBy = TypeOf<typeof decidedBy>;
