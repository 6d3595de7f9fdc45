import { Injectable } from '@nestjs/common';
import type { Route } from '../../../../packages/protocol/message/submission.js';
import { AGENT_TOOL, SKILL_TOOL } from '../../../../packages/protocol/message/tool-definition.js';
import { Agents, Skills, type ToolOutcome } from '../../../ports/index.js';
import { readAgentInput } from '../../../session/prompt/agent-input.js';
import { routeIn } from '../../../session/prompt/route.js';
import { readSkillInput } from '../../../session/prompt/skill-input.js';
import type { Skill } from '../../../session/prompt/skill.js';
import { helperTurn } from '../../../session/state/helper.js';
import type { CallRecord, SessionState } from '../../../session/state/state.js';
import { offeredByServer } from '../../../session/state/tool-calls.js';
import type { AgentDefinition } from '../../../session/tenants/tenant-settings.js';

/** What a helper is to do. */
export interface HelperTask {
  readonly title: string;
  /** Its first prompt, and how that is processed: a text as it is, or the command of a skill, which its own turn expands. */
  readonly input: string;
  readonly route: Extract<Route, { kind: 'prompt' | 'command' }>;
  /** Null: it works as its parent does. */
  readonly agent: AgentDefinition | null;
}

/** The agent of Claude Code that a skill runs as when it names none: here a helper that works as its parent does. */
const GENERAL_PURPOSE = 'general-purpose';

/** Finds what a call asks of a helper: the task of an `Agent` call, or a skill that says `context: fork`. */
@Injectable()
export class HelperTasks {
  constructor(
    private readonly agents: Agents,
    private readonly skills: Skills,
  ) {}

  /** The task, or why there is none as the outcome of the call; null: the call is not for a helper. */
  of(tenantId: string, state: SessionState, call: CallRecord): Promise<HelperTask | ToolOutcome | null> {
    return call.name === SKILL_TOOL ? this.#ofSkill(tenantId, state, call) : this.#ofAgent(tenantId, call);
  }

  async #ofAgent(tenantId: string, call: CallRecord): Promise<HelperTask | ToolOutcome> {
    const agents = await this.agents.of(tenantId);
    const read = readAgentInput(call.updatedInput ?? call.input, Object.keys(agents));
    if ('fault' in read) return failed(read.fault);
    const { description, prompt, agent } = read.value;
    return { title: description, input: prompt, route: { kind: 'prompt' }, agent: agent === undefined ? null : agents[agent]! };
  }

  /** Where the session is offered no helpers, or is the helper that carries this skill out, the skill runs in its conversation. */
  async #ofSkill(tenantId: string, state: SessionState, call: CallRecord): Promise<HelperTask | ToolOutcome | null> {
    const asked = readSkillInput(call.updatedInput ?? call.input);
    if (!asked || !offeredByServer(state).some(({ name }) => name === AGENT_TOOL)) return null;
    const skill = await this.skills.find(tenantId, asked.name);
    if (!skill?.fork) return null;
    const isOfPrompt = calledByPrompt(state) === skill.name;
    if (isOfPrompt ? helperTurn(state) === state.turn : !skill.modelInvocable) return null;
    const agent = await this.#agentOf(tenantId, skill);
    if (agent !== null && 'content' in agent) return agent;
    const { name } = skill;
    const command = `${name} ${asked.args}`.trim();
    return { title: command, input: `/${command}`, route: { kind: 'command', command: 'prompt', name }, agent };
  }

  /** An agent of the plugin that brings the skill comes before another of the same name. */
  async #agentOf(tenantId: string, { name, fork }: Skill): Promise<AgentDefinition | ToolOutcome | null> {
    const wanted = fork?.agent ?? GENERAL_PURPOSE;
    const agents = await this.agents.of(tenantId);
    const found = [`${name.replace(/:.*$/s, '')}:${wanted}`, wanted].find((one) => Object.hasOwn(agents, one));
    if (found !== undefined) return agents[found]!;
    if (wanted === GENERAL_PURPOSE) return null;
    return failed(`The skill ${name} runs as the agent ${wanted}, which there is not. Agents: ${Object.keys(agents).toSorted().join(', ') || 'none'}.`);
  }
}

export const failed = (content: string): ToolOutcome => ({ content, isError: true });

/** The skill that the prompt of the turn has called; null: it is no command. */
function calledByPrompt({ turn, prompts }: SessionState): string | null {
  const submission = prompts.get(turn?.promptId ?? '')?.submission;
  const route = submission ? routeIn(submission) : null;
  return route?.kind === 'command' ? route.name : null;
}
