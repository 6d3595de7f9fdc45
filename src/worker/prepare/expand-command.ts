import { Injectable } from '@nestjs/common';
import { SlashCommands } from '../../commands/slash/slash-commands.js';
import { unreachable } from '../../core/errors.js';
import { type Expandable, expandSkill } from '../../core/prompt/expand-skill.js';
import { argumentsOf, routeIn } from '../../core/prompt/route.js';
import { Clock, Skills } from '../../core/ports.js';
import type { SessionState } from '../../core/session/state.js';
import type { CheckpointRecorder } from './checkpoints.js';
import type { PromptDraft, Stage } from './prompt-draft.js';

/** Makes a command what it stands for: a skill its messages, a command that runs here its output. Anything else passes as it is. */
@Injectable()
export class ExpandCommand implements Stage {
  constructor(
    private readonly commands: SlashCommands,
    private readonly skills: Skills,
    private readonly clock: Clock,
  ) {}

  async run(prompt: PromptDraft, _state: SessionState, marks: CheckpointRecorder, _signal: AbortSignal): Promise<PromptDraft> {
    const route = routeIn(prompt.submission);
    if (route.kind !== 'command' || prompt.files.refused !== null) return prompt;
    switch (route.command) {
      case 'prompt':
        return this.#expanded(prompt, route.name, marks);
      case 'local':
        return this.#ran(prompt, route.name);
      case 'client':
      case 'turn':
        return this.#gone(prompt, route.name);
      default:
        return unreachable(route.command);
    }
  }

  async #expanded(prompt: PromptDraft, name: string, marks: CheckpointRecorder): Promise<PromptDraft> {
    const { tenantId, sessionId, submission, settings, files } = prompt;
    const args = argumentsOf(submission);
    const own = this.commands.builtIn(name);
    const skill = own ? null : await this.skills.find(tenantId, name);
    const expandable: Expandable | null = own?.kind === 'prompt' ? { ...own, directory: null, allowedTools: [], model: null, argumentNames: [] } : skill;
    if (!expandable) return this.#gone(prompt, name);
    marks.mark('query_attachment_loading_start');
    const attached = skill ? await this.skills.mentioned(skill, args) : [];
    marks.mark('query_attachment_loading_end');
    // What a client sends along is left out for commands, but for what the person named in the arguments.
    const mentions = (submission.attachments ?? []).filter(({ type }) => type === 'mention');
    const place = { uuid: submission.uuid, permissionMode: settings.permissionMode, at: this.#at(), freshUuid: () => this.clock.uuid() };
    return { ...prompt, expanded: expandSkill(expandable, { args, sessionId }, [...mentions, ...attached], files.blocks, place) };
  }

  async #ran(prompt: PromptDraft, name: string): Promise<PromptDraft> {
    const { tenantId, sessionId, submission } = prompt;
    const command = this.commands.builtIn(name);
    if (command?.kind !== 'local') return this.#gone(prompt, name);
    const output = await command.run(this.commands.call(tenantId, sessionId, argumentsOf(submission)));
    const content = `<command-name>/${name}</command-name>\n<local-command-stdout>${output}</local-command-stdout>`;
    return {
      ...prompt,
      callsModel: false,
      expanded: [{ type: 'system', uuid: submission.uuid, timestamp: this.#at(), subtype: 'local_command', level: 'info', content }],
    };
  }

  /** It was there when the prompt was accepted, and may be back; nobody is asked in its stead. */
  #gone(prompt: PromptDraft, name: string): PromptDraft {
    const content = `/${name} is not installed any more, so nothing was done.`;
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
