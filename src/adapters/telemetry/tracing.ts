import { setTimeout } from 'node:timers/promises';
import { diag, DiagLogLevel } from '@opentelemetry/api';

export interface TracingOptions {
  readonly version: string;
  readonly role: string;
  /** Told when spans do not get through, at most once a minute. */
  readonly report: (problem: string, error: unknown) => void;
}

/** How long the end of the process waits for the last spans to leave. */
const FLUSH_MS = 2_000;

const REPORT_EVERY_MS = 60_000;

/**
 * Starts to send spans over OTLP. Where to, how, and how many is read from the environment by the SDK itself (`OTEL_EXPORTER_OTLP_*`, `OTEL_TRACES_SAMPLER`,
 * `OTEL_SERVICE_NAME`, …). Spans leave in batches, in the background; those that cannot are dropped. Once per process.
 */
export async function startTracing({ version, role, report }: TracingOptions): Promise<{ stop(): Promise<void> }> {
  const { core, NodeSDK, resources } = await import('@opentelemetry/sdk-node');
  diag.setLogger(troubleReport(report), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const sdk = new NodeSDK({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': 'verbatim', 'service.version': version, 'verbatim.role': role })),
    // Names and attributes from the environment have the last word.
    resourceDetectors: [resources.envDetector],
    textMapPropagator: new core.W3CTraceContextPropagator(),
    // Figures and logs have their own ways out.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  return {
    stop: async () => {
      const sent = sdk.shutdown().catch((error: unknown) => report('The last spans were lost', error));
      await Promise.race([sent, setTimeout(FLUSH_MS, undefined, { ref: false })]);
    },
  };
}

type DiagLogger = Parameters<typeof diag.setLogger>[0];

function troubleReport(report: TracingOptions['report']): DiagLogger {
  let last = -Infinity;
  const tell = (text: string): void => {
    if (performance.now() - last < REPORT_EVERY_MS) return;
    last = performance.now();
    report('Tracing has trouble; spans that cannot be sent are dropped', messageIn(text));
  };
  const silent = (): void => undefined;
  return { error: tell, warn: tell, info: silent, debug: silent, verbose: silent };
}

/** The SDK hands errors over as JSON text, stack and all. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' && message !== '' ? message : text.slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}
