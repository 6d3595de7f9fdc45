import { contentBlocks } from './blocks.js';
import { contextManagement } from './context-management.js';
import type { Dialect } from './dialect.js';
import { fallbacks } from './fallbacks.js';
import { mcpServers } from './mcp.js';
import { toolChange } from './tool-changes.js';
import { cacheControl, citations, outputFormat, textBlock, variant } from './parts.js';
import { flag, integer, list, nullable, number, object, oneOf, addProblem, tagged, text, textOr, type Shape } from './shape.js';
import { toolDefinition } from './tools.js';

/** The whole request body (docs: Messages API). */
export function requestShape(dialect: Dialect): Shape {
  const management = contextManagement(dialect);
  return object(
    { model: text({ min: 1 }), max_tokens: integer({ min: 0 }), messages: messages(dialect) },
    {
      system: textOr(systemBlocks),
      tools: list(toolDefinition(dialect)),
      tool_choice: toolChoice,
      thinking: thinking(dialect),
      output_config: outputConfig(dialect),
      ...(dialect.sampling ? { temperature: number({ min: 0, max: 1 }), top_p: number({ min: 0, max: 1 }), top_k: integer({ min: 0 }) } : {}),
      stop_sequences: list(text()),
      stream: flag,
      metadata: object({}, { user_id: nullable(text({ max: 512 })) }),
      service_tier: oneOf(['auto', 'standard_only']),
      speed: nullable(oneOf(['standard', 'fast'])),
      ...(dialect.automaticCaching ? { cache_control: cacheControl } : {}),
      ...(dialect.fallbacks ? { fallbacks: fallbacks(thinking(dialect), outputConfig(dialect)) } : {}),
      ...(dialect.outputFormat ? { output_format: nullable(outputFormat) } : {}),
      ...(dialect.threads ? { thread: nullable(thread) } : {}),
      ...(dialect.userProfiles ? { billing_policy: nullable(billingPolicy) } : {}),
      container: nullable(textOr(object({}, { id: nullable(text()), skills: nullable(list(skill)) }))),
      diagnostics: nullable(object({}, { previous_message_id: nullable(text()) })),
      inference_geo: nullable(text()),
      ...(management ? { context_management: management } : {}),
      ...(dialect.mcp ? { mcp_servers: mcpServers } : {}),
      ...(dialect.compactionRequest ? { compaction: nullable(tagged({ summarize: variant({}, { instructions: nullable(text()) }) })) } : {}),
      ...(dialect.fallbackCredit ? { fallback_credit_token: nullable(textOr(creditToken)) } : {}),
    },
    dialect.isOpen,
  );
}

const effort = nullable(oneOf(['low', 'medium', 'high', 'xhigh', 'max']));
const creditToken = object({ token: text({ min: 1 }) }, { mode: oneOf(['strict', 'best_effort']) });

/** Docs: Task budgets. */
const taskBudget = nullable(tagged({ tokens: variant({ total: integer({ min: 1 }) }, { remaining: nullable(integer({ min: 0 })) }) }));
const outputConfig = (dialect: Dialect): Shape =>
  object({}, { effort, format: nullable(outputFormat), ...(dialect.taskBudget ? { task_budget: taskBudget } : {}) });

/** Docs: Message threads; User profiles. */
const thread = tagged({ create: variant({}), continue: variant({ previous_message_id: text({ min: 1 }) }) });
const billingPolicy = tagged({ billing_policy: variant({}, { bill_to: oneOf(['self', 'user_profile']) }) });

const skill = variant({ skill_id: text(), type: oneOf(['anthropic', 'custom']) }, { version: text() });

const systemBlocks = list(object({ type: oneOf(['text']), text: text() }, { cache_control: cacheControl, citations }));

function messages(dialect: Dialect): Shape {
  // `system` is checked in the roles stage: its error message depends on the model and the position.
  const role = oneOf(['user', 'assistant'], ['user', 'assistant', 'system']);
  const message = object({ role, content: textOr(list(contentBlocks(dialect))) });
  const content = textOr(list(tagged({ text: textBlock, ...(dialect.toolChanges ? toolChange(dialect) : {}) })));
  const systemMessage = object(dialect.systemOutputConfig ? { role } : { role, content }, {
    ...(dialect.systemOutputConfig ? { content, output_config: nullable(object({}, { effort })) } : {}),
    ...(dialect.clearAt ? { clear_at: nullable(oneOf(['next_user_message', 'never'])) } : {}),
  });
  const each = list((value, place, problems) => {
    const isSystem = typeof value === 'object' && value !== null && 'role' in value && value.role === 'system';
    (isSystem ? systemMessage : message)(value, place, problems);
  });
  return (value, place, problems) => {
    if (Array.isArray(value) && value.length === 0) addProblem(problems, 'messages-empty', place, 'at least one message is required');
    else each(value, place, problems);
  };
}

const parallel = { disable_parallel_tool_use: flag };

const toolChoice = tagged({
  auto: variant({}, parallel),
  any: variant({}, parallel),
  tool: variant({ name: text({ min: 1 }) }, parallel),
  none: variant({}),
});

function thinking({ blockBinding, displayUpdates }: Dialect): Shape {
  const binding: Record<string, Shape> = blockBinding
    ? { block_binding: nullable(object({}, { prefix_mismatch_behavior: nullable(oneOf(['error', 'drop_block'])) })) }
    : {};
  const shown = { display: nullable(oneOf(displayUpdates ? ['summarized', 'omitted', 'updates'] : ['summarized', 'omitted'])), ...binding };
  return tagged({
    enabled: variant({ budget_tokens: integer({ min: 1024 }) }, shown),
    disabled: variant({}),
    between_tools: variant({}),
    adaptive: variant({}, shown),
  });
}
