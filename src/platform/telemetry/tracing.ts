import { setTimeout } from 'node:timers/promises';
import { diag, DiagLogLevel } from '@opentelemetry/api';

export interface TracingOptions {
  readonly version: string;
  readonly role: string;
  /** Receives export errors, at most one a minute. */
  readonly report: (problem: string, error: unknown) => void;
}

/** How long `stop` waits for the last spans to be sent. */
const FLUSH_MS = 2_000;

const REPORT_EVERY_MS = 60_000;

/**
 * Starts to export spans over OTLP; call once per process. The SDK reads endpoint, protocol and sampling from the environment (`OTEL_EXPORTER_OTLP_*`,
 * `OTEL_TRACES_SAMPLER`, `OTEL_SERVICE_NAME`, …). Spans are sent in batches in the background; spans that cannot be sent are dropped.
 */
export async function startTracing({ version, role, report }: TracingOptions): Promise<{ stop(): Promise<void> }> {
  const { core, NodeSDK, resources } = await import('@opentelemetry/sdk-node');
  diag.setLogger(diagLogger(report), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const sdk = new NodeSDK({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': 'verbatim', 'service.version': version, 'verbatim.role': role })),
    // Names and attributes from the environment take precedence.
    resourceDetectors: [resources.envDetector],
    textMapPropagator: new core.W3CTraceContextPropagator(),
    // Metrics and logs are exported separately.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  return {
    stop: async () => {
      const sent = sdk.shutdown().catch((error: unknown) => report('The last spans could not be sent', error));
      await Promise.race([sent, setTimeout(FLUSH_MS, undefined, { ref: false })]);
    },
  };
}

type DiagLogger = Parameters<typeof diag.setLogger>[0];

function diagLogger(report: TracingOptions['report']): DiagLogger {
  let last = -Infinity;
  const warn = (text: string): void => {
    if (performance.now() - last < REPORT_EVERY_MS) return;
    last = performance.now();
    report('Spans cannot be sent and are dropped', messageIn(text));
  };
  const silent = (): void => undefined;
  return { error: warn, warn, info: silent, debug: silent, verbose: silent };
}

/** The SDK reports errors as JSON text with a stack. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' && message !== '' ? message : text.slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}
