import { z } from 'zod';
import { toolProblem } from '../../../packages/normalizer/api-rules/tool-problem.js';
import {
  EFFORTS,
  type ModelOptions,
  SERVER_TOOL,
  type ServerTool,
  THINKING_DISPLAYS,
  THINKING_TYPES,
  TOOL_CHOICES,
  type ToolChoice,
} from '../../../packages/protocol/message/model-options.js';
import type { ClientTool } from '../../../packages/protocol/message/tool-definition.js';
import { list } from './bounded.js';
import { label } from './json.js';

const MAX_STOP_SEQUENCES = 16;
const STOP_SEQUENCE_LENGTH = 200;
const MAX_SERVER_TOOLS = 16;
const MAX_FALLBACKS = 5;

const thinking = z.strictObject({
  type: z.enum(THINKING_TYPES).optional().meta({ description: 'Absent: as the model does by itself.' }),
  budget_tokens: z.int().min(1_024).optional().meta({ description: 'Only of `enabled`; default: half of the tokens of the answer.' }),
  display: z
    .enum(THINKING_DISPLAYS)
    .optional()
    .meta({ description: '`summarized`, the default: its thinking can be read. `omitted`: it comes back empty, and the answer begins earlier.' }),
});

const toolChoice = z
  .strictObject({ type: z.enum(TOOL_CHOICES), name: label(200).optional(), disable_parallel_tool_use: z.boolean().optional() })
  .superRefine(({ type, name, disable_parallel_tool_use: parallel }, context) => {
    const isNamed = name !== undefined;
    if (isNamed !== (type === 'tool')) context.addIssue({ code: 'custom', path: ['name'], message: 'is required of `tool`, and allowed only there' });
    if (type === 'none' && parallel !== undefined)
      context.addIssue({ code: 'custom', path: ['disable_parallel_tool_use'], message: 'is not allowed with `none`' });
  })
  .meta({ description: 'A choice that forces a call (`any`, `tool`) applies to the first answer of each turn.' }) as unknown as z.ZodType<
  ToolChoice,
  ToolChoice
>;

const serverTool = z
  .looseObject({ type: z.string().regex(SERVER_TOOL, 'must be a version of web_search, web_fetch or code_execution'), name: z.string() })
  .superRefine((tool, context) => {
    const problem = toolProblem(tool as unknown as ClientTool);
    if (problem) context.addIssue({ code: 'custom', path: problem.at.split('.').slice(-1), message: `is rejected by the model API: ${problem.text}` });
  })
  .meta({ id: 'ModelServerTool', description: "A tool that the model API runs. The shape is the model API's." }) as unknown as z.ZodType<
  ServerTool,
  ServerTool
>;

export const modelOptions = z
  .strictObject({
    effort: z.enum(EFFORTS),
    thinking,
    tool_choice: toolChoice,
    stop_sequences: list(z.string().max(STOP_SEQUENCE_LENGTH).regex(/\S/, 'must not be blank'), MAX_STOP_SEQUENCES),
    server_tools: list(serverTool, MAX_SERVER_TOOLS),
    fallbacks: z
      .union([z.literal('default'), list(z.strictObject({ model: label(200), max_tokens: z.int().min(1).optional() }), MAX_FALLBACKS)])
      .meta({ description: 'Models that answer when the model refuses; `default`: as the API chooses.' }),
  })
  .partial()
  .meta({
    id: 'ModelOptions',
    description:
      "Parameters of requests to the model, in the model API's shapes. What the model of a request does not accept is replaced by what comes nearest, or left out; `changedOptions` of a payload says so.",
  }) as unknown as z.ZodType<ModelOptions, ModelOptions>;

/** Of a payload. */
export const changedOptions = z
  .array(z.strictObject({ option: z.string(), reason: z.string() }))
  .meta({ description: 'The model options that the payload does not have as they were asked for, and why.' });
