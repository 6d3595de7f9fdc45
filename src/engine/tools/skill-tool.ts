import { commandPermissions, skillText } from '../../session/prompt/expand-skill.js';
import { MAX_INVOKED_SKILL_BYTES } from '../../session/prompt/invoked-skills.js';
import { readSkillInput } from '../../session/prompt/skill-input.js';
import { cutToBytes } from '../../../packages/protocol/message/text.js';
import { type Skills, type ToolCall, type ToolOutcome, ToolSet } from '../../ports/index.js';
import { SKILL_TOOL, type ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';
import { errorOutcome } from './input.js';

const SKILL: ToolDefinition = {
  name: SKILL_TOOL,
  description:
    "Loads a skill: instructions for one kind of task, written for this deployment. Call it before you start a task that a listed skill covers, with the skill's name as listed. The text of the skill follows the result; follow its instructions.",
  input_schema: {
    type: 'object',
    properties: {
      skill: { type: 'string', description: 'The name of the skill, as listed' },
      name: { type: 'string', description: 'The same; some callers send it in place of `skill`' },
      args: { type: 'string', description: 'Its arguments as one string' },
    },
    required: ['skill'],
    additionalProperties: false,
  },
  source: 'builtin',
  effect: 'read',
};

/** Lets the model call skills. */
export class SkillTool extends ToolSet {
  constructor(private readonly skills: Skills) {
    super();
  }

  override async offered(tenantId: string): Promise<readonly ToolDefinition[]> {
    const listed = await this.#callable(tenantId).catch(() => []);
    return listed.length === 0 ? [] : [SKILL];
  }

  override async run({ tenantId, sessionId, toolUseId, input }: ToolCall): Promise<ToolOutcome> {
    const request = readSkillInput(input);
    if (!request) return errorOutcome('The input must be an object with a string `skill` and optionally a string `args`.');
    try {
      const skill = await this.skills.find(tenantId, request.name);
      if (!skill?.modelInvocable)
        return errorOutcome(`There is no skill named ${request.name} that you can call. Available skills: ${(await this.#callable(tenantId)).join(', ')}.`);
      const text = skillText(skill, { args: request.args, sessionId });
      const permissions = commandPermissions(skill, { toolUseId, text: cutToBytes(text, MAX_INVOKED_SKILL_BYTES) });
      return {
        content: `Launching skill: ${skill.name}`,
        isError: false,
        toolUseResult: { skill: skill.name, allowedTools: skill.allowedTools, model: skill.model },
        siblings: [{ type: 'text', text }],
        attachments: [...(await this.skills.mentioned(skill, request.args)), permissions],
      };
    } catch {
      return errorOutcome('The skills cannot be read now; try again later.');
    }
  }

  async #callable(tenantId: string): Promise<readonly string[]> {
    return (await this.skills.list(tenantId)).flatMap(({ name, modelInvocable }) => (modelInvocable ? [name] : []));
  }
}
