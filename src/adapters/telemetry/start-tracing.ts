/**
 * Sends spans to the collector at `endpoint` from now on, for the whole process. What else can be set about it, OpenTelemetry's own variables say
 * (OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_PROTOCOL, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER…). The returned function sends
 * what is left and ends it.
 */
export async function startTracing(endpoint: string): Promise<() => Promise<void>> {
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ??= endpoint;
  process.env['OTEL_SERVICE_NAME'] ??= 'verbatim';
  // Loaded here: it is large, and most processes never need it.
  const [{ NodeSDK, resources }, { context, propagation, trace }] = await Promise.all([import('@opentelemetry/sdk-node'), import('@opentelemetry/api')]);
  const sdk = new NodeSDK({ instrumentations: [], metricReaders: [], logRecordProcessors: [], resourceDetectors: [resources.envDetector] });
  sdk.start();
  return async () => {
    // A collector that is away must not keep the process from ending.
    await sdk.shutdown().catch(() => undefined);
    for (const api of [trace, context, propagation]) api.disable();
  };
}
