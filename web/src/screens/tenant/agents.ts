import type { AnswerOf } from '@verbatim/client';
import { pointerSegment } from '../../../../packages/protocol/message/json-pointer.ts';
import type { Faults } from './faults.tsx';
import { repeated } from './headers.ts';
import { namesIn, textOf } from './names.ts';

export type Agents = AnswerOf<'getSettings'>['agents'];

/** One agent, as it is written. */
export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  /** Empty: the model of the conversation that asks. */
  readonly model: string;
  /** Names with commas between them; empty: all tools of the conversation that asks. */
  readonly tools: string;
}

export type AgentField = Exclude<keyof Agent, 'id'>;

let made = 0;
export const freshAgent = (): Agent => ({ id: `agent-${(made += 1)}`, name: '', description: '', prompt: '', model: '', tools: '' });

export const field = ({ id }: Agent, name: AgentField): string => `${id}-${name}`;

export const agentsOf = (stored: Agents): readonly Agent[] =>
  Object.entries(stored).map(([name, { description, prompt, model = '', tools }]) => ({
    ...freshAgent(),
    name,
    description,
    prompt,
    model,
    tools: textOf(tools),
  }));

/** What the form sends. */
export const bodyOf = (agents: readonly Agent[]): Agents =>
  Object.fromEntries(
    agents.map(({ name, description, prompt, model, tools }) => [
      name.trim(),
      {
        description: description.trim(),
        prompt: prompt.trim(),
        ...(model.trim() === '' ? {} : { model: model.trim() }),
        ...(tools.trim() === '' ? {} : { tools: namesIn(tools) }),
      },
    ]),
  );

/** The field of each JSON pointer that the server may name. */
export const fieldsOf = (agents: readonly Agent[]): ReadonlyMap<string, string> =>
  new Map(
    agents.flatMap((agent) => {
      const at = `/agents/${pointerSegment(agent.name.trim())}`;
      const parts = (['description', 'prompt', 'model', 'tools'] as const).map((name) => [`${at}/${name}`, field(agent, name)] as const);
      const tools = namesIn(agent.tools).map((_, index) => [`${at}/tools/${index}`, field(agent, 'tools')] as const);
      return [[at, field(agent, 'name')], ...parts, ...tools] as const;
    }),
  );

/** Names that stand twice: a body has each once, so the server would not see the other. */
export const repeatsIn = (agents: readonly Agent[]): Faults => ({
  at: new Map(repeated(agents.map((agent) => [field(agent, 'name'), agent.name.trim()])).map((id) => [id, 'is a name that stands here before'])),
  hasOthers: false,
});
