import type { SessionSettings } from '../../../packages/protocol/events/events.js';
import { isObject } from '../../../packages/protocol/message/unknown-json.js';
import { modelOptionsIn } from './model-options.js';
import { isLabel, isTextRecord, permissionModeIn } from './shape.js';
import type { ClientTool } from '../../../packages/protocol/message/tool-definition.js';

/** Name and version of the export format, and those that can be read. The first version has no rewinds and restores. */
export const FORMAT = 'verbatim/2';
export const FORMATS: readonly unknown[] = ['verbatim/1', FORMAT];

const MODEL_LENGTH = 200;
const TITLE_LENGTH = 1_000;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** First line of an export: the title and the settings that the payload depends on. */
export function sessionLine({
  title,
  model,
  system,
  context,
  systemContext,
  permissionMode,
  tools,
  metadata,
  autoCompact,
  modelOptions,
}: SessionSettings): object {
  const set = { ...(autoCompact === undefined ? {} : { autoCompact }), ...(modelOptions ? { modelOptions } : {}) };
  return { type: 'session', format: FORMAT, title, model, system, context, systemContext, permissionMode, tools, metadata, ...set };
}

export const isSessionLine = (value: unknown): boolean => isObject(value) && value['type'] === 'session' && typeof value['format'] === 'string';

/** The settings of a session line, with `defaults` for missing members; null when a member is invalid. */
export function settingsIn(value: unknown, defaults: SessionSettings): SessionSettings | null {
  if (!isObject(value) || !FORMATS.includes(value['format'])) return null;
  const {
    title = null,
    model = defaults.model,
    system = null,
    context = {},
    systemContext = {},
    permissionMode = 'default',
    tools = [],
    metadata = {},
  } = value;
  const mode = permissionModeIn(permissionMode);
  if (title !== null && !isLabel(title, TITLE_LENGTH)) return null;
  if (!isLabel(model, MODEL_LENGTH) || mode === null) return null;
  if (system !== null && typeof system !== 'string') return null;
  if (!isTextRecord(context) || !isTextRecord(systemContext) || !isObject(metadata)) return null;
  if (!Array.isArray(tools) || !tools.every(isTool)) return null;
  const options = value['modelOptions'] === undefined ? undefined : modelOptionsIn(value['modelOptions']);
  if (options === null) return null;
  const set = {
    ...(typeof value['autoCompact'] === 'boolean' ? { autoCompact: value['autoCompact'] } : {}),
    ...(options === undefined ? {} : { modelOptions: options }),
  };
  return {
    title,
    model,
    system,
    context,
    systemContext,
    permissionMode: mode,
    permissions: defaults.permissions,
    tools,
    metadata: metadata as SessionSettings['metadata'],
    ...set,
  };
}

/** A valid model name; null otherwise. */
export const modelIn = (value: unknown): string | null => (isLabel(value, MODEL_LENGTH) ? value : null);

function isTool(value: unknown): value is ClientTool {
  if (!isObject(value) || typeof value['name'] !== 'string' || !TOOL_NAME.test(value['name'])) return false;
  if (value['defer_loading'] !== undefined && typeof value['defer_loading'] !== 'boolean') return false;
  return isObject(value['input_schema']) && (value['description'] === undefined || typeof value['description'] === 'string');
}
