import { describe, expect, it } from '@jest/globals';
import { PrometheusTelemetry } from '../../src/platform/telemetry/prometheus-telemetry.js';
import { tracedHooks } from '../../src/platform/telemetry/traced-hooks.js';
import { tracedTools } from '../../src/platform/telemetry/traced-tools.js';
import { type HookCall, Hooks, type ToolCall, type ToolOutcome, Tools } from '../../src/ports/index.js';

const signal = new AbortController().signal;
const CALL: ToolCall = { tenantId: 't', sessionId: 's', turnId: 'u', toolUseId: 'c', name: 'Bash', input: {}, permissionMode: 'default' };

class Recorded extends Tools {
  readonly calls: ToolCall[] = [];
  readonly #offers = [{ name: 'Bash', description: 'x', input_schema: {}, source: 'builtin', effect: 'run' as const }];
  outcome: () => ToolOutcome = () => ({ content: 'done', isError: false });

  override async offered() {
    return this.#offers;
  }

  override async run(call: ToolCall) {
    this.calls.push(call);
    return this.outcome();
  }
}

describe('tools', () => {
  it('get the current workload, unless the caller sets one', async () => {
    const telemetry = new PrometheusTelemetry();
    const inner = new Recorded();
    const tools = tracedTools(inner, telemetry);
    await telemetry.within({ workload: 'nightly' }, () => tools.run(CALL, () => undefined, signal));
    await telemetry.within({ workload: 'nightly' }, () => tools.run({ ...CALL, workload: 'own' }, () => undefined, signal));
    await tools.run(CALL, () => undefined, signal);
    expect(inner.calls.map(({ workload }) => workload)).toEqual(['nightly', 'own', undefined]);
  });

  it('are counted by outcome, with few label values', async () => {
    const telemetry = new PrometheusTelemetry();
    const inner = new Recorded();
    const tools = tracedTools(inner, telemetry);
    await tools.run(CALL, () => undefined, signal);
    inner.outcome = () => ({ content: 'no', isError: true });
    await tools.run({ ...CALL, name: 'mcp__house__lamp' }, () => undefined, signal);
    await tools.run({ ...CALL, name: 'whatever the model made up' }, () => undefined, AbortSignal.abort());
    inner.outcome = () => {
      throw new TypeError('a bug');
    };
    await expect(tools.run(CALL, () => undefined, signal)).rejects.toThrow('a bug');
    const { text } = await telemetry.exposition();
    for (const labels of ['tool="Bash",outcome="ok"', 'tool="mcp",outcome="error"', 'tool="other",outcome="stopped"', 'tool="Bash",outcome="threw"']) {
      expect(text).toContain(`verbatim_tool_calls_total{${labels}} 1`);
      expect(text).toContain(`verbatim_tool_seconds_count{${labels}} 1`);
    }
  });

  it('are otherwise unchanged, including private members', async () => {
    const inner = new Recorded();
    const tools = tracedTools(inner, new PrometheusTelemetry());
    expect(await tools.offered('t')).toEqual([expect.objectContaining({ name: 'Bash' })]);
    expect(tools).toBeInstanceOf(Tools);
  });
});

it('hooks get the current workload', async () => {
  const telemetry = new PrometheusTelemetry();
  const calls: HookCall[] = [];
  const inner: Partial<Hooks> = {
    run: async (call) => {
      calls.push(call);
      return [];
    },
  };
  const hooks = tracedHooks(inner as Hooks, telemetry);
  const call: HookCall = { event: 'Stop', tenantId: 't', sessionId: 's', permissionMode: 'default', input: {} };
  await telemetry.within({ workload: 'nightly' }, () => hooks.run(call, signal));
  await hooks.run({ ...call, workload: 'own' }, signal);
  expect(calls.map(({ workload }) => workload)).toEqual(['nightly', 'own']);
});
