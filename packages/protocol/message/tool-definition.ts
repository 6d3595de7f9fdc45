import type { TypeOf } from '../shape/shape.js';
import { choice, flag, jsonObject, list, object, text } from '../shape/shapes.js';

/** Of a tool that the model API knows: in the request it has its type and name only. */
const type = text.optional('A tool that the model API knows: it is sent by this type and its name, without description and schema.');
const aliases = list(text).optional('Further names by which calls reach it, such as earlier ones. The model is not told of them.');

/** The first three members are those of the model API. */
export const toolDefinition = object({
  name: text,
  description: text,
  input_schema: jsonObject,
  source: text.about('`builtin`, or `mcp:NAME` for a tool of the MCP server NAME.'),
  aliases,
  type,
  effect: choice('read', 'edit', 'run').about(
    "What a call can change. `read`: nothing that needs a decision, such as the memory of the user; `edit`: files in the session's folder; `run`: anything.",
  ),
}).content();
/** A tool that this server runs. */
export type ToolDefinition = TypeOf<typeof toolDefinition>;

export const clientTool = object({
  name: text,
  aliases,
  description: text.optional(),
  input_schema: jsonObject,
  defer_loading: flag.optional(
    'The model sees the tool only once a result of the client names it in a `tool_reference`. Without tool search it is sent as any other.',
  ),
}).content();
/** The built-in tool by which the model asks to leave plan mode. */
export const EXIT_PLAN_MODE = 'ExitPlanMode';

/** The built-in tool by which the model has a helper, a session of its own, carry out a task. */
export const AGENT_TOOL = 'Agent';

/** The tool that calls skills: in the conversation, or in a helper. */
export const SKILL_TOOL = 'Skill';

/** The model API's own tool for a memory across sessions (docs: Memory tool). */
export const MEMORY_TOOL = { type: 'memory_20250818', name: 'memory' } as const;

/** A tool of a request: of the client, or of the server. `type`: as in `ToolDefinition`. */
export type RequestTool = ClientTool & Pick<ToolDefinition, 'type'>;

/** A tool that the client runs. The shape is that of the model API. */
export type ClientTool = TypeOf<typeof clientTool>;
