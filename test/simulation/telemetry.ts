import type { Telemetry } from '../../src/ports/index.js';

const span = { rename: () => undefined, set: () => undefined, failed: () => undefined };

/** Telemetry that records nothing. */
export function silentTelemetry(): Telemetry {
  return {
    within: (_fields: unknown, work: () => unknown) => work(),
    fields: () => ({}),
    span: (_name: string, _attributes: unknown, work: (given: typeof span) => Promise<unknown>) => work(span),
    event: () => undefined,
    traceContext: () => null,
    continued: (_traceparent: unknown, work: () => unknown) => work(),
    count: () => undefined,
    observe: () => undefined,
    gauge: () => undefined,
    exposition: async () => ({ contentType: 'text/plain', text: '' }),
  } as unknown as Telemetry;
}
