import type { Telemetry, Tools } from '../../ports/index.js';
import { delegate } from './delegate.js';

/** A span, a counter and a timer per tool call; passes the current workload to the tool. */
export function tracedTools(inner: Tools, telemetry: Telemetry): Tools {
  return delegate(inner, {
    run: (call, onProgress, signal) => {
      const { workload } = telemetry.fields();
      const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': call.name, 'gen_ai.tool.call.id': call.toolUseId };
      return telemetry.span(`execute_tool ${call.name}`, attributes, async (span) => {
        const started = performance.now();
        let result = 'threw';
        try {
          const outcome = await inner.run({ ...(workload === undefined ? {} : { workload }), ...call }, onProgress, signal);
          result = signal.aborted ? 'stopped' : outcome.isError ? 'error' : 'ok';
          span.set({ 'tool.outcome': result });
          if (outcome.isError) span.failed(result);
          return outcome;
        } finally {
          const labels = { tool: labelOf(call.name), outcome: result };
          telemetry.count('tool_calls', labels);
          telemetry.observe('tool_seconds', labels, (performance.now() - started) / 1000);
        }
      });
    },
  });
}

/** Tenants may add any number of MCP tools, and the model may call unknown tools: these share a label, which bounds the number of time series. */
function labelOf(name: string): string {
  if (name.startsWith('mcp__')) return 'mcp';
  return /^[A-Z][A-Za-z]{0,31}$/.test(name) ? name : 'other';
}
