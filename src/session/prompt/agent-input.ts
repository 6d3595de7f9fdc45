import type { Json } from '../../../packages/protocol/message/content.js';
import { AGENT_TOOL, type ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';

/** What the model writes in a call of `Agent`. */
export interface AgentInput {
  /** A title for people. */
  readonly description: string;
  /** The task: the prompt of the helper. */
  readonly prompt: string;
}

const MEMBERS: Readonly<Record<keyof AgentInput, string>> = {
  description: 'The task in three to five words, as a title for people',
  prompt: 'The task, with everything that the helper has to know: it does not see this conversation',
};

export const AGENT_INPUT_SCHEMA: ToolDefinition['input_schema'] = {
  type: 'object',
  properties: Object.fromEntries(Object.entries(MEMBERS).map(([name, description]) => [name, { type: 'string', description }])),
  required: ['description', 'prompt'],
  additionalProperties: false,
};

/** `fault`: what is wrong, for the model. */
export function readAgentInput(input: Json): { readonly value: AgentInput } | { readonly fault: string } {
  const given = typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as { readonly [key: string]: Json }) : {};
  const faults = [
    ...Object.keys(MEMBERS).flatMap((name) => (isText(given[name]) ? [] : [`- ${name}: must be a text that is not empty`])),
    ...Object.keys(given).flatMap((name) => (Object.hasOwn(MEMBERS, name) ? [] : [`- ${name}: is not a member of the input`])),
  ];
  if (faults.length > 0) return { fault: `The input of ${AGENT_TOOL} is not valid:\n${faults.join('\n')}` };
  const { description, prompt } = given as { readonly [key: string]: string };
  return { value: { description: description!, prompt: prompt! } };
}

const isText = (value: Json | undefined): boolean => typeof value === 'string' && value.trim() !== '';
