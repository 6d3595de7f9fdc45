import { commandPermissions, skillText } from '../../core/prompt/expand-skill.js';
import { MAX_INVOKED_SKILL_BYTES } from '../../core/prompt/invoked-skills.js';
import type { Json } from '../../core/message/content.js';
import { cutToBytes } from '../../core/message/text.js';
import { type Skills, type ToolCall, type ToolOutcome, ToolSet } from '../../core/ports.js';
import type { ToolDefinition } from '../../core/message/tool-definition.js';

const SKILL: ToolDefinition = {
  name: 'Skill',
  description:
    "Loads a skill: instructions for one kind of task, written for this deployment. Call it before you start on a task that one of the listed skills is for, with the skill's name as listed. Its text follows the result; go by it.",
  input_schema: {
    type: 'object',
    properties: {
      skill: { type: 'string', description: 'Name of the skill, as listed' },
      args: { type: 'string', description: 'Arguments for it, in one text' },
    },
    required: ['skill'],
    additionalProperties: false,
  },
  source: 'builtin',
  effect: 'read',
};

/** Lets the model call the skills that are open to it. */
export class SkillTool extends ToolSet {
  constructor(private readonly skills: Skills) {
    super();
  }

  override async offered(tenantId: string): Promise<readonly ToolDefinition[]> {
    const listed = await this.#open(tenantId).catch(() => []);
    return listed.length === 0 ? [] : [SKILL];
  }

  override async run({ tenantId, sessionId, toolUseId, input }: ToolCall): Promise<ToolOutcome> {
    const asked = readInput(input);
    if (!asked) return failed('The input must be an object with a text `skill`, and a text `args` where there are arguments.');
    try {
      const skill = await this.skills.find(tenantId, asked.name);
      if (!skill?.modelInvocable)
        return failed(`There is no skill named ${asked.name} that you may call. There are: ${(await this.#open(tenantId)).join(', ')}.`);
      const text = skillText(skill, { args: asked.args, sessionId });
      const permissions = commandPermissions(skill, { toolUseId, text: cutToBytes(text, MAX_INVOKED_SKILL_BYTES) });
      return {
        content: `Launching skill: ${skill.name}`,
        isError: false,
        toolUseResult: { skill: skill.name, allowedTools: skill.allowedTools, model: skill.model },
        siblings: [{ type: 'text', text }],
        attachments: [...(await this.skills.mentioned(skill, asked.args)), permissions],
      };
    } catch {
      return failed('The skills cannot be read at the moment.');
    }
  }

  async #open(tenantId: string): Promise<readonly string[]> {
    return (await this.skills.list(tenantId)).flatMap(({ name, modelInvocable }) => (modelInvocable ? [name] : []));
  }
}

function readInput(input: Json): { readonly name: string; readonly args: string } | null {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null;
  const { skill, args = '' } = input as { readonly [key: string]: Json };
  if (typeof skill !== 'string' || typeof args !== 'string') return null;
  // Models name a skill as they have seen people call it.
  return { name: skill.trim().replace(/^\//, ''), args: args.trim() };
}

function failed(content: string): ToolOutcome {
  return { content, isError: true };
}
