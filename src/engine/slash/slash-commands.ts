import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import type { KnownCommand } from '../../session/prompt/route.js';
import { Accounts, Digest, GateSource, JobQueue, LiveBus, Model, Sessions, Skills } from '../../ports/index.js';
import { BUILT_IN } from './built-in.js';
import type { CommandSummary, SlashCall, SlashCommand, SlashDependencies } from './slash-command.js';
import type { SkillSummary } from '../../session/prompt/skill.js';

const BY_NAME: ReadonlyMap<string, SlashCommand> = new Map([...BUILT_IN.map((command) => [command.name, command] as const), ['quit', named('exit')]]);

/** All slash commands: the built-in ones, then the installed ones. A built-in command takes precedence over an installed one of the same name. */
@Injectable()
export class SlashCommands {
  constructor(
    private readonly skills: Skills,
    private readonly sessions: Sessions,
    private readonly accounts: Accounts,
    private readonly queue: JobQueue,
    private readonly live: LiveBus,
    private readonly model: Model,
    private readonly gates: GateSource,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_OUTPUT_TOKENS'>,
    private readonly digest: Digest,
  ) {}

  async list(tenantId: string): Promise<readonly CommandSummary[]> {
    const installed = await this.skills.list(tenantId);
    return [...BUILT_IN.map(summary), ...installed.filter((skill) => skill.userInvocable && !BY_NAME.has(skill.name)).map(skillSummary)];
  }

  /** Null when the tenant has no such command. */
  async find(tenantId: string, name: string): Promise<KnownCommand | null> {
    const own = this.builtIn(name);
    if (own) return { name: own.name, kind: own.kind, bridgeSafe: own.bridgeSafe, userInvocable: true };
    const skill = await this.skills.find(tenantId, name);
    return skill && { name, kind: 'prompt', bridgeSafe: true, userInvocable: skill.userInvocable };
  }

  builtIn(name: string): SlashCommand | null {
    return BY_NAME.get(name) ?? null;
  }

  /** The arguments of a command's execution. */
  call(tenantId: string, sessionId: string, args: string): SlashCall {
    const dependencies: SlashDependencies = {
      accounts: this.accounts,
      queue: this.queue,
      live: this.live,
      model: this.model,
      gates: this.gates,
      maxOutputTokens: this.settings.MAX_OUTPUT_TOKENS,
      sha256: (text) => this.digest.sha256(text),
      commands: () => this.list(tenantId),
    };
    return { ...dependencies, tenantId, sessionId, args, session: () => this.sessions.load(tenantId, sessionId) };
  }
}

function named(name: string): SlashCommand {
  const found = BUILT_IN.find((command) => command.name === name);
  if (!found) throw new Error(`there is no command named ${name}`);
  return found;
}

function summary({ name, description, argumentHint, bridgeSafe, kind }: SlashCommand): CommandSummary {
  return {
    name,
    description,
    argumentHint: argumentHint ?? null,
    kind: kind === 'exit' || kind === 'turn' ? 'local' : kind,
    immediate: kind === 'client',
    bridgeSafe,
    source: 'builtin',
  };
}

function skillSummary({ name, description, argumentHint, kind }: SkillSummary): CommandSummary {
  return { name, description, argumentHint, kind: 'prompt', immediate: false, bridgeSafe: true, source: kind };
}
