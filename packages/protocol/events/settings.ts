import { component } from '../message/components.js';
import { permissionMode } from '../message/message.js';
import { clientTool } from '../message/tool-definition.js';
import { NO_RULES } from '../permissions/rule.js';
import type { ObjectOf } from '../shape/shape.js';
import { dictionary, flag, integer, jsonObject, list, object, text } from '../shape/shapes.js';
import { name } from './facts.js';

const rules = list(text);

/** Settings of a session. All of them affect the payload except `title`, `permissionMode`, `permissions`, `metadata` and `archived`. */
export const sessionSettings = {
  title: text.nullable(),
  model: name,
  system: text.nullable(),
  context: dictionary(text).about('Named texts that the model reads before the conversation.'),
  systemContext: dictionary(text).about('Named values appended to the system prompt.'),
  permissionMode,
  permissions: object({ allow: rules, deny: rules, ask: rules }).about(
    'Rules for calls of server tools, in addition to those of the deployment and the tenant.',
  ),
  tools: list(clientTool),
  metadata: jsonObject,
  archived: flag.optional('Kept out of the session list unless asked for; absent: false.'),
  autoCompact: flag
    .nullable()
    .optional("Whether the conversation is compacted automatically when it nears the model's context window; null or absent: the server's default."),
  retentionDays: integer
    .nullable()
    .optional("Days after the last change when its content is erased, unless the tenant's retention is shorter; null or absent: the tenant's."),
  modelOptions: component('ModelOptions').nullable().optional('Parameters of its requests to the model; null or absent: none.'),
};
export type SessionSettings = ObjectOf<typeof sessionSettings>;

export const NO_SETTINGS: SessionSettings = {
  title: null,
  model: '',
  system: null,
  context: {},
  systemContext: {},
  permissionMode: 'default',
  permissions: NO_RULES,
  tools: [],
  metadata: {},
};
