import type { Json } from '../../core/message/content.js';
import { type Telemetry, type ToolCall, type ToolDefinition, type ToolOutcome, type ToolProblem, Tools } from '../../core/ports.js';

/** Tools each of whose calls is a span. */
export class TracedTools extends Tools {
  constructor(
    private readonly tools: Tools,
    private readonly telemetry: Telemetry,
  ) {
    super();
  }

  override offered(tenantId: string): Promise<readonly ToolDefinition[]> {
    return this.tools.offered(tenantId);
  }

  override problems(tenantId: string): Promise<readonly ToolProblem[]> {
    return this.tools.problems(tenantId);
  }

  override run(call: ToolCall, onProgress: (data: Json) => void, signal: AbortSignal): Promise<ToolOutcome> {
    const { name, toolUseId, workload } = call;
    const attributes = { 'gen_ai.tool.name': name, 'gen_ai.tool.call.id': toolUseId, ...(workload === undefined ? {} : { workload }) };
    return this.telemetry.span('tool call', { attributes }, async (span) => {
      const outcome = await this.tools.run(call, onProgress, signal);
      span.annotate({ outcome: outcome.isError ? 'error' : 'success' });
      return outcome;
    });
  }
}
