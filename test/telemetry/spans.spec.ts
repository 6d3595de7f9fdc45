import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SpanStatusCode } from '@opentelemetry/api';
import { NodeSDK, tracing } from '@opentelemetry/sdk-node';
import { PinoLogger } from '../../src/platform/telemetry/pino-logger.js';
import { PrometheusTelemetry } from '../../src/platform/telemetry/prometheus-telemetry.js';
import { DomainError } from '../../packages/protocol/errors.js';

const exporter = new tracing.InMemorySpanExporter();
const telemetry = new PrometheusTelemetry();
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

it('without tracing everything runs and nothing is traced', async () => {
  expect(await telemetry.continued(`00-${TRACE}-00f067aa0ba902b7-01`, () => telemetry.span('x', {}, async () => telemetry.traceContext()))).toBeNull();
  telemetry.event('no listener');
});

describe('spans', () => {
  beforeAll(() => {
    const spanProcessors = [new tracing.SimpleSpanProcessor(exporter)];
    new NodeSDK({ spanProcessors, autoDetectResources: false, metricReaders: [], logRecordProcessors: [] }).start();
  });
  beforeEach(() => exporter.reset());

  it('start their work at once', () => {
    let begun = false;
    void telemetry.span('x', {}, async () => void (begun = true));
    expect(begun).toBe(true);
  });

  it('have the current fields and their attributes, nested, across awaits', async () => {
    await telemetry.within({ workload: 'nightly' }, () =>
      telemetry.span(
        'outer',
        { n: 1 },
        async (span) => {
          await new Promise(setImmediate);
          await telemetry.span('inner', {}, async () => telemetry.event('mark', 1_700_000_000_123));
          span.set({ list: ['a', 'b'] });
          span.rename('renamed');
        },
        'server',
      ),
    );
    const [inner, outer] = exporter.getFinishedSpans();
    expect(outer).toMatchObject({ name: 'renamed', attributes: { n: 1, list: ['a', 'b'], workload: 'nightly' }, kind: 1 });
    expect(inner).toMatchObject({ name: 'inner', attributes: { workload: 'nightly' }, parentSpanContext: { spanId: outer?.spanContext().spanId } });
    expect(inner?.events).toEqual([expect.objectContaining({ name: 'mark', time: [1_700_000_000, 123_000_000] })]);
  });

  it('record an error by its code or name, without its message, and rethrow it', async () => {
    const secret = 'what the user typed';
    for (const [error, name] of [
      [new DomainError('turn_over', secret), 'turn_over'],
      [new TypeError(secret), 'TypeError'],
      [secret, 'string'],
    ] as const) {
      exporter.reset();
      await expect(telemetry.span('x', {}, () => Promise.reject(error))).rejects.toBe(error);
      const [span] = exporter.getFinishedSpans();
      expect(span).toMatchObject({
        status: { code: SpanStatusCode.ERROR, message: name },
        attributes: { 'error.type': name },
        events: [{ name: 'exception' }],
      });
      expect(JSON.stringify([span?.status, span?.attributes, span?.events])).not.toContain(secret);
    }
  });

  it('continue the trace of a traceparent', async () => {
    const place = await telemetry.continued(`00-${TRACE}-00f067aa0ba902b7-01`, () => telemetry.span('x', {}, async () => telemetry.traceContext()));
    expect(place).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    await telemetry.span('around', {}, async () => {
      for (const bad of [null, '', 'x', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `00-${TRACE}-short-01`]) {
        const own = await telemetry.continued(bad, () => telemetry.span('x', {}, async () => telemetry.traceContext()));
        expect(own).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
        expect(own).not.toContain(TRACE);
      }
    });
    const [first] = exporter.getFinishedSpans();
    expect(first?.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: '00f067aa0ba902b7' });
  });

  it('are named in log lines', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = new PinoLogger('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
    const here = await telemetry.span('x', {}, async () => {
      log.log('inside');
      return telemetry.traceContext();
    });
    log.log('outside');
    expect(here).toBe(`00-${String(lines[0]?.['traceId'])}-${String(lines[0]?.['spanId'])}-01`);
    expect(lines[1]).not.toHaveProperty('traceId');
  });
});
