import type { Json } from '../../../packages/protocol/message/content.js';
import { AGENT_TOOL, type ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';

/** What the model writes in a call of `Agent`. */
export interface AgentInput {
  /** A title for people. */
  readonly description: string;
  /** The task: the prompt of the helper. */
  readonly prompt: string;
  /** The name of an agent of the tenant. */
  readonly agent?: string;
}

const MEMBERS: Readonly<Record<'description' | 'prompt', string>> = {
  description: 'The task in three to five words, as a title for people',
  prompt: 'The task, with everything that the helper has to know: it does not see this conversation',
};

/** `agents`: names of the agents of the tenant. */
export function agentInputSchema(agents: readonly string[]): ToolDefinition['input_schema'] {
  const texts = Object.entries(MEMBERS).map(([name, description]) => [name, { type: 'string', description }] as const);
  const agent = { type: 'string', enum: agents, description: 'The agent that carries it out; absent: a helper that works as you do' };
  return {
    type: 'object',
    properties: { ...Object.fromEntries(texts), ...(agents.length === 0 ? {} : { agent }) },
    required: Object.keys(MEMBERS),
    additionalProperties: false,
  };
}

/** `fault`: what is wrong, for the model. */
export function readAgentInput(input: Json, agents: readonly string[]): { readonly value: AgentInput } | { readonly fault: string } {
  const given = typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as { readonly [key: string]: Json }) : {};
  const { agent } = given;
  const faults = [
    ...Object.keys(MEMBERS).flatMap((name) => (isText(given[name]) ? [] : [`- ${name}: must be a text that is not empty`])),
    ...(agent === undefined || agents.some((name) => name === agent) ? [] : [`- agent: must be one of ${agents.join(', ') || 'none: there are no agents'}`]),
    ...Object.keys(given).flatMap((name) => (name === 'agent' || Object.hasOwn(MEMBERS, name) ? [] : [`- ${name}: is not a member of the input`])),
  ];
  if (faults.length > 0) return { fault: `The input of ${AGENT_TOOL} is not valid:\n${faults.join('\n')}` };
  const { description, prompt } = given as { readonly [key: string]: string };
  return { value: { description: description!, prompt: prompt!, ...(agent === undefined ? {} : { agent: agent as string }) } };
}

const isText = (value: Json | undefined): boolean => typeof value === 'string' && value.trim() !== '';
