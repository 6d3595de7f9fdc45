import { Injectable } from '@nestjs/common';
import { SlashCommands } from '../../slash/slash-commands.js';
import { unreachable } from '../../../../packages/protocol/errors.js';
import { type Expandable, expandSkill, skillText } from '../../../session/prompt/expand-skill.js';
import { pasteIds } from '../../../session/prompt/files/index.js';
import { argumentsOf, routeIn } from '../../../session/prompt/route.js';
import { Clock, Skills } from '../../../ports/index.js';
import { helperTurn } from '../../../session/state/helper.js';
import type { Skill } from '../../../session/prompt/skill.js';
import { AGENT_TOOL, SKILL_TOOL } from '../../../../packages/protocol/message/tool-definition.js';
import type { SessionState } from '../../../session/state/state.js';
import { OfferTools } from '../tools/offer-tools.js';
import type { CheckpointRecorder } from './checkpoints.js';
import { GatherAttachments } from './gather-attachments.js';
import type { PromptDraft, Stage } from './prompt-draft.js';

/** Expands a slash command: a skill to its messages, a local command to its output. Other prompts pass unchanged. */
@Injectable()
export class ExpandCommand implements Stage {
  constructor(
    private readonly commands: SlashCommands,
    private readonly skills: Skills,
    private readonly clock: Clock,
    private readonly attachments: GatherAttachments,
    private readonly tools: OfferTools,
  ) {}

  async apply(prompt: PromptDraft, state: SessionState, marks: CheckpointRecorder, signal: AbortSignal): Promise<PromptDraft> {
    const route = routeIn(prompt.submission);
    if (route.kind !== 'command' || prompt.files.rejected !== null) return prompt;
    switch (route.command) {
      case 'prompt':
        return this.#expand(prompt, state, route.name, marks, signal);
      case 'local':
        return this.#runLocal(prompt, route.name);
      case 'client':
      case 'turn':
        return this.#notInstalled(prompt, route.name);
      default:
        return unreachable(route.command);
    }
  }

  async #expand(prompt: PromptDraft, state: SessionState, name: string, marks: CheckpointRecorder, signal: AbortSignal): Promise<PromptDraft> {
    const { tenantId, sessionId, submission, settings, files } = prompt;
    const args = argumentsOf(submission);
    const own = this.commands.builtIn(name);
    const isOfHelper = helperTurn(state)?.turnId === submission.turnId;
    const found = own ? null : await this.skills.find(tenantId, name);
    const isForked = found?.fork && !isOfHelper && (await this.#mayCallHelpers(prompt, state));
    const skill = isForked ? null : found;
    const expandable: Expandable | null =
      own?.kind === 'prompt' ? { ...own, directory: null, allowedTools: [], model: null, argumentNames: [] } : isForked ? calling(found) : skill;
    if (!expandable) return this.#notInstalled(prompt, name);
    const call = { args, sessionId };
    const [gathered, ofSkill] = await Promise.all([
      this.attachments.gather(prompt, `${args}\n${skillText(expandable, call)}`, marks, signal),
      skill ? this.skills.mentioned(skill, args) : [],
    ]);
    const place = {
      uuid: submission.uuid,
      permissionMode: settings.permissionMode,
      at: this.#at(),
      freshUuid: () => this.clock.uuid(),
      imagePasteIds: pasteIds(submission),
    };
    return { ...prompt, expanded: expandSkill(expandable, call, [...gathered, ...ofSkill], files.blocks, place) };
  }

  /** Whether the model can call the skill, and the call a helper. Otherwise the skill is expanded here, as any other. */
  async #mayCallHelpers(session: PromptDraft, state: SessionState): Promise<boolean> {
    const names = new Set((await this.tools.offered(session, state)).map(({ name }) => name));
    return names.has(AGENT_TOOL) && names.has(SKILL_TOOL);
  }

  async #runLocal(prompt: PromptDraft, name: string): Promise<PromptDraft> {
    const { tenantId, sessionId, submission } = prompt;
    const command = this.commands.builtIn(name);
    if (command?.kind !== 'local') return this.#notInstalled(prompt, name);
    const output = await command.run(this.commands.call(tenantId, sessionId, argumentsOf(submission)));
    const content = `<command-name>/${name}</command-name>\n<local-command-stdout>${output}</local-command-stdout>`;
    return {
      ...prompt,
      callsModel: false,
      expanded: [{ type: 'system', uuid: submission.uuid, timestamp: this.#at(), subtype: 'local_command', level: 'info', content }],
    };
  }

  /** The command was installed when the prompt was accepted. The prompt is not sent to the model in its place. */
  #notInstalled(prompt: PromptDraft, name: string): PromptDraft {
    const content = `/${name} is no longer installed, so the prompt had no effect.`;
    return {
      ...prompt,
      callsModel: false,
      expanded: [{ type: 'system', uuid: prompt.submission.uuid, timestamp: this.#at(), subtype: 'informational', level: 'error', content }],
    };
  }

  #at(): string {
    return this.clock.timestamp();
  }
}

/** What the model is told of a skill that runs in a helper: to call it. The helper expands the skill. */
function calling({ name }: Skill): Expandable {
  const body = `The user has called the skill ${name}, which runs in a helper. Call the tool ${SKILL_TOOL} with \`skill\`: "${name}" and, as \`args\`, the arguments below as they are. Then give the user its result.\n\nArguments: $ARGUMENTS`;
  return { name, body, directory: null, allowedTools: [`${SKILL_TOOL}(${name})`], model: null, argumentNames: [] };
}
