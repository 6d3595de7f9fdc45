import { describe, expect, it } from '@jest/globals';
import { SkillTool } from '../../src/engine/tools/skill-tool.js';
import { Skills, type ToolCall } from '../../src/ports/index.js';
import type { Skill } from '../../src/session/prompt/skill.js';

const SKILL: Skill = {
  name: 'team:review',
  kind: 'skill',
  description: 'Reviews.',
  argumentHint: null,
  userInvocable: true,
  modelInvocable: true,
  allowedTools: ['Read'],
  model: null,
  directory: '/skills/review',
  argumentNames: [],
  body: 'Review $ARGUMENTS in ${CLAUDE_SESSION_ID}.',
  fork: null,
};
const BY_HAND: Skill = { ...SKILL, name: 'deploy', modelInvocable: false };

class Shelf extends Skills {
  override folders = async () => [];

  away = false;
  constructor(private readonly skills: readonly Skill[]) {
    super();
  }
  override async list() {
    if (this.away) throw new Error('away');
    return this.skills;
  }
  override async find(_tenantId: string, name: string) {
    if (this.away) throw new Error('away');
    return this.skills.find((skill) => skill.name === name) ?? null;
  }
  override mentioned = async (skill: Skill, args: string) => [{ type: 'skill_file', skill: skill.name, path: args, content: 'x' }];
  override problems = async () => [];
  override installed = async () => [];
}

const call = (input: ToolCall['input']): ToolCall => ({
  tenantId: 't',
  sessionId: 's-1',
  turnId: 'u',
  toolUseId: 'toolu_1',
  name: 'Skill',
  input,
  permissionMode: 'default',
});
const run = (input: ToolCall['input'], skills: Skills = new Shelf([SKILL, BY_HAND])) => new SkillTool(skills).run(call(input));

describe('the Skill tool', () => {
  it('is offered only where the model may call a skill', async () => {
    expect(await new SkillTool(new Shelf([SKILL])).offered('t')).toEqual([expect.objectContaining({ name: 'Skill', effect: 'read', source: 'builtin' })]);
    expect(await new SkillTool(new Shelf([BY_HAND])).offered('t')).toEqual([]);
    expect(await new SkillTool(new Shelf([])).offered('t')).toEqual([]);
    const away = new Shelf([SKILL]);
    away.away = true;
    expect(await new SkillTool(away).offered('t')).toEqual([]);
    expect(await run({ skill: 'team:review' }, away)).toMatchObject({ isError: true });
  });

  it('returns the text of a skill after the result, with the files it mentions and its permissions', async () => {
    const text = 'Base directory for this skill: /skills/review\n\nReview a.ts in s-1.';
    expect(await run({ skill: '/team:review', args: ' a.ts ' })).toEqual({
      content: 'Launching skill: team:review',
      isError: false,
      toolUseResult: { skill: 'team:review', allowedTools: ['Read'], model: null },
      siblings: [{ type: 'text', text }],
      attachments: [
        { type: 'skill_file', skill: 'team:review', path: 'a.ts', content: 'x' },
        { type: 'command_permissions', skill: 'team:review', allowedTools: ['Read'], model: null, toolUseId: 'toolu_1', text },
      ],
    });
  });

  it.each([[{ skill: 'none' }], [{ name: 'none' }], [{ skill: 'deploy' }], [{}], [null], ['x'], [[]], [{ skill: 1 }], [{ skill: 'team:review', args: 2 }]])(
    'answers %j with an error',
    async (input) => {
      const outcome = await run(input as ToolCall['input']);
      expect(outcome).toEqual({ content: expect.any(String), isError: true });
      expect(outcome.content).not.toContain('deploy,');
    },
  );
});
