import { z } from 'zod';
import type { Json } from '../../../packages/protocol/message/content.js';
import type { ToolOutcome } from '../../ports/index.js';
import type { ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';

/** The JSON schema of a tool's input, as the model receives it. */
export function inputSchema(schema: z.ZodType): ToolDefinition['input_schema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' }) as { readonly [key: string]: Json };
  return rest;
}

/** The outcome of a call that cannot be carried out; the model reads the text. */
export function errorOutcome(text: string): ToolOutcome {
  return { content: text, isError: true };
}

export type ParsedInput<T> = { readonly value: T } | { readonly fault: string };

/** The validated input of a call of the tool `name`, or its faults as a text for the model. */
export function parseInput<T>(name: string, schema: z.ZodType<T>, input: Json): ParsedInput<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { value: parsed.data };
  const faults = parsed.error.issues.map(({ path, message }) => `- ${path.length === 0 ? 'input' : path.join('.')}: ${message}`);
  return { fault: `The input of ${name} is not valid:\n${faults.join('\n')}` };
}
