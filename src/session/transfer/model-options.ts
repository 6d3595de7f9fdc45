import { EFFORTS, type ModelOptions, SERVER_TOOL, THINKING_DISPLAYS, THINKING_TYPES, TOOL_CHOICES } from '../../../packages/protocol/message/model-options.js';
import { isObject } from '../../../packages/protocol/message/unknown-json.js';

type Check = (value: unknown) => boolean;

const among =
  (values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const text: Check = (value) => typeof value === 'string' && value.trim() !== '' && value.isWellFormed();
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const flag: Check = (value) => typeof value === 'boolean';
const each =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const members =
  (checks: Readonly<Record<string, Check>>, needed: readonly string[] = []): Check =>
  (value) =>
    isObject(value) &&
    needed.every((name) => name in value) &&
    Object.entries(value).every(([name, member]) => Object.hasOwn(checks, name) && checks[name]!(member));

const isOptions = members({
  effort: among(EFFORTS),
  thinking: members({ type: among(THINKING_TYPES), budget_tokens: count, display: among(THINKING_DISPLAYS) }),
  tool_choice: members({ type: among(TOOL_CHOICES), name: text, disable_parallel_tool_use: flag }, ['type']),
  stop_sequences: each(text),
  server_tools: each((tool) => isObject(tool) && typeof tool['type'] === 'string' && SERVER_TOOL.test(tool['type']) && text(tool['name'])),
  fallbacks: (value) => value === 'default' || each(members({ model: text, max_tokens: count }, ['model']))(value),
});

/** Null: invalid. */
export const modelOptionsIn = (value: unknown): ModelOptions | null => (isOptions(value) ? (value as ModelOptions) : null);
