import { type ConfiguredHook, type HookCall, Hooks, type Telemetry } from '../../core/ports.js';
import type { HookRun } from '../../core/session/events.js';

/** Hooks each of whose calls is a span, with the outcome of every hook that ran. */
export class TracedHooks extends Hooks {
  constructor(
    private readonly hooks: Hooks,
    private readonly telemetry: Telemetry,
  ) {
    super();
  }

  override run(call: HookCall, signal: AbortSignal): Promise<readonly HookRun[]> {
    const { event, subject, workload } = call;
    const attributes = { event, ...(subject === undefined ? {} : { subject }), ...(workload === undefined ? {} : { workload }) };
    return this.telemetry.span('hooks', { attributes }, async (span) => {
      const runs = await this.hooks.run(call, signal);
      span.annotate({ runs: String(runs.length), ...(runs.length === 0 ? {} : { outcomes: runs.map(({ outcome }) => outcome).join(' ') }) });
      return runs;
    });
  }

  override configured(tenantId: string): Promise<readonly ConfiguredHook[]> {
    return this.hooks.configured(tenantId);
  }

  override faultsIn(...given: Parameters<Hooks['faultsIn']>): ReturnType<Hooks['faultsIn']> {
    return this.hooks.faultsIn(...given);
  }
}
