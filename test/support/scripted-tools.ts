import type { FieldError } from '../../packages/protocol/errors.js';
import type { Json } from '../../packages/protocol/message/content.js';
import { type ConfiguredHook, type HookCall, Hooks, type ToolCall, type ToolOutcome, Tools, type TriedServer } from '../../src/ports/index.js';
import { faultsInTenantHooks } from '../../src/engine/hooks/tenant-hooks.js';
import type { TenantSettings } from '../../src/session/tenants/tenant-settings.js';
import type { ToolDefinition } from '../../packages/protocol/message/tool-definition.js';
import type { HookRun } from '../../packages/protocol/hooks/hook-run.js';

const definition = (name: string, effect: ToolDefinition['effect']): ToolDefinition => ({
  name,
  description: `A ${effect} tool of the tests.`,
  input_schema: { type: 'object', properties: { label: { type: 'string' } } },
  source: 'builtin',
  effect,
});

interface Held {
  readonly finish: (outcome: ToolOutcome) => void;
}

/**
 * Tools that do as they are told by their input: `label` names the call, `hold` keeps it running until the spec finishes it or it is stopped, `stubborn` even
 * past that. Every call that ever ran is in `runs`.
 */
export class ScriptedTools extends Tools {
  readonly runs: ToolCall[] = [];
  readonly #held = new Map<string, Held>();
  readonly #awaited = new Map<string, () => void>();
  definitions: readonly ToolDefinition[] = [definition('Look', 'read'), definition('Change', 'edit'), definition('Work', 'run')];

  override async offered(): Promise<readonly ToolDefinition[]> {
    return this.definitions;
  }

  /** What every server offers that is tried. */
  tried: TriedServer = { tools: [], problems: [] };

  override async tryServer(): Promise<TriedServer> {
    return this.tried;
  }

  override run(call: ToolCall, onProgress: (data: Json) => void, signal: AbortSignal): Promise<ToolOutcome> {
    const {
      label = '',
      hold,
      stubborn,
      fail,
      say,
      result,
    } = call.input as { label?: string; hold?: boolean; stubborn?: boolean; fail?: boolean; say?: string; result?: Json };
    this.runs.push(call);
    onProgress({ label });
    const done = { content: say ?? `did ${label}`, isError: fail === true, ...(result === undefined ? {} : { toolUseResult: result }) };
    if (!hold && !stubborn) return Promise.resolve(done);
    return new Promise((resolve) => {
      this.#held.set(label, { finish: resolve });
      if (!stubborn) signal.addEventListener('abort', () => resolve({ content: `stopped in the middle of ${label}`, isError: true }), { once: true });
      this.#awaited.get(label)?.();
    });
  }

  /** Resolves once a held call of that label runs. */
  async running(label: string): Promise<void> {
    if (this.#held.has(label)) return;
    await new Promise<void>((resolve) => this.#awaited.set(label, resolve));
  }

  finish(label: string, outcome: Partial<ToolOutcome> = {}): void {
    this.#held.get(label)?.finish({ content: `did ${label}`, isError: false, ...outcome });
  }

  /** Nothing of the server that is stopped waits for a held call any longer, and keeps the process of the spec from ending. */
  finishAll(): void {
    for (const label of this.#held.keys()) this.finish(label);
  }

  labels(): readonly string[] {
    return this.runs.map(({ input }) => (input as { label: string }).label);
  }
}

/** Hooks that say what the spec has them say. */
export class ScriptedHooks extends Hooks {
  readonly calls: HookCall[] = [];
  answer: (call: HookCall) => Partial<HookRun> | null = () => null;
  events: readonly string[] = [];

  override async run(call: HookCall): Promise<readonly HookRun[]> {
    this.calls.push(call);
    const said = this.answer(call);
    if (!said) return [];
    const run = {
      event: call.event,
      hook: { type: 'command' },
      input: call.input,
      outcome: 'success',
      exitCode: 0,
      durationMs: 1,
      stdout: '',
      stderr: '',
    } as const;
    return [{ hookRunId: `${call.event}-${this.calls.length}`, ...run, ...said }];
  }

  override async configured(): Promise<readonly ConfiguredHook[]> {
    return this.events.map((event) => ({ event, matcher: null, type: 'command', command: 'x', timeoutMs: 1_000, source: 'deployment' }));
  }

  override faultsIn(hooks: TenantSettings['hooks']): readonly FieldError[] {
    return faultsInTenantHooks(hooks, { timeoutMs: 10_000, maxHooks: 20, allowPrivate: false });
  }
}
