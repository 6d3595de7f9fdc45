import { type ConfiguredHook, Hooks, type Clock, type HookCall } from '../../core/ports.js';
import type { HookRun } from '../../core/session/events.js';
import { runCommandHook, type CommandHookSettings } from './command-hook.js';
import type { CommandHook } from './hooks-file.js';

/** The operator's hooks: every one that matches runs, side by side; the same command only once. */
export class CommandHooks extends Hooks {
  constructor(
    private readonly hooks: readonly CommandHook[],
    private readonly settings: CommandHookSettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  async run(call: HookCall, signal: AbortSignal): Promise<readonly HookRun[]> {
    const { event, subject } = call;
    const matching = this.hooks.filter((hook) => hook.event === event && (subject === undefined || hook.matches(subject)));
    const commands = new Map<string, CommandHook>();
    for (const hook of matching) if (!commands.has(hook.command)) commands.set(hook.command, hook);
    return Promise.all([...commands.values()].map((hook) => runCommandHook(hook, call, this.settings, this.clock, signal)));
  }

  async configured(): Promise<readonly ConfiguredHook[]> {
    return this.hooks.map(({ event, matcher, command, timeoutMs }) => ({ event, matcher, type: 'command', command, timeoutMs }));
  }
}
