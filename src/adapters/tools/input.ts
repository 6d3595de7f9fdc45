import { z } from 'zod';
import type { Json } from '../../core/message/content.js';
import type { ToolOutcome } from '../../core/ports.js';
import type { ToolDefinition } from '../../core/message/tool-definition.js';

/** What the model is told of a tool's input. */
export function inputSchema(schema: z.ZodType): ToolDefinition['input_schema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' }) as { readonly [key: string]: Json };
  return rest;
}

/** A call that cannot be carried out, in words for the model. */
export function refused(text: string): ToolOutcome {
  return { content: text, isError: true };
}

export type Checked<T> = { readonly value: T } | { readonly fault: string };

/** The input of a call of the tool `name`, or what is wrong with it. */
export function checked<T>(name: string, schema: z.ZodType<T>, input: Json): Checked<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { value: parsed.data };
  const faults = parsed.error.issues.map(({ path, message }) => `- ${path.length === 0 ? 'input' : path.join('.')}: ${message}`);
  return { fault: `The input of ${name} cannot be used:\n${faults.join('\n')}` };
}
