import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PinoLogger } from '../../src/adapters/telemetry/pino-logger.js';
import { PrometheusTelemetry } from '../../src/adapters/telemetry/prometheus-telemetry.js';
import { startTracing } from '../../src/adapters/telemetry/start-tracing.js';
import { TracedTools } from '../../src/adapters/telemetry/traced-tools.js';
import { Refusal } from '../../src/core/errors.js';
import { ToolSets } from '../../src/adapters/tools/tool-sets.js';
import { callOf } from '../mcp/support.js';
import { type Collector, startCollector } from './collector.js';

const telemetry = new PrometheusTelemetry();

describe('where nobody collects traces', () => {
  it('a span is its work and nothing else', async () => {
    const seen = await telemetry.span('a', { parent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }, async (span) => {
      span.annotate({ a: 'b' });
      span.rename('c');
      telemetry.event('d');
      return [telemetry.traceparent(), telemetry.fields()];
    });
    expect(seen).toEqual([null, {}]);
    await expect(telemetry.span('a', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(telemetry.span('a', {}, () => { throw new Error('at once'); })).rejects.toThrow('at once');
  });
});

describe('where somebody does', () => {
  let collector: Collector;
  let lines: Record<string, unknown>[];

  beforeAll(async () => {
    collector = await startCollector();
    lines = [];
    process.env['OTEL_EXPORTER_OTLP_PROTOCOL'] = 'http/json';
    const stop = await startTracing(collector.url);
    const log = new PinoLogger('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
    const tools = new TracedTools(new ToolSets([]), telemetry);
    await telemetry.span('outer', { attributes: { of: 'one' } }, async () => {
      log.log('inside');
      await Promise.all(
        ['left', 'right'].map((name) =>
          telemetry.span(name, {}, async () => {
            await new Promise(setImmediate);
            telemetry.event(`at ${name}`);
          }),
        ),
      );
      await tools.run({ ...callOf('none'), workload: 'nightly' }, () => undefined, new AbortController().signal);
      await telemetry.span('refuses', {}, () => Promise.reject(new Refusal('session_busy', 'busy'))).catch(() => undefined);
      await telemetry.span('fails', {}, () => Promise.reject(new TypeError('what somebody wrote'))).catch(() => undefined);
    });
    await telemetry.span('not below', { parent: 'nonsense' }, () => Promise.resolve());
    await stop();
  });
  afterAll(async () => {
    delete process.env['OTEL_EXPORTER_OTLP_PROTOCOL'];
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    await collector.close();
  });

  const named = (name: string) => collector.spans.find((span) => span.name === name);

  it('spans that run side by side stay apart', () => {
    const outer = named('outer');
    for (const name of ['left', 'right']) expect(named(name)).toMatchObject({ traceId: outer?.traceId, parentSpanId: outer?.spanId, events: [`at ${name}`], failed: false });
    expect(outer).toMatchObject({ attributes: { of: 'one' } });
    expect(outer).not.toHaveProperty('parentSpanId');
  });

  it('lines of the log name the trace', () => {
    expect(lines).toEqual([expect.objectContaining({ msg: 'inside', traceId: named('outer')?.traceId })]);
  });

  it('a call of a tool is one', () => {
    expect(named('tool call')).toMatchObject({
      parentSpanId: named('outer')?.spanId,
      attributes: { 'gen_ai.tool.name': 'none', 'gen_ai.tool.call.id': 'toolu_1', workload: 'nightly', outcome: 'error' },
    });
  });

  it('a refusal is no fault, and a fault says what kind it was but not its words', () => {
    expect(named('refuses')).toMatchObject({ failed: false, attributes: { 'refusal.code': 'session_busy' } });
    expect(named('fails')).toMatchObject({ failed: true });
    expect(JSON.stringify(collector.spans)).not.toContain('what somebody wrote');
  });

  it('a parent that is none begins a trace', () => {
    expect(named('not below')?.traceId).not.toBe(named('outer')?.traceId);
    expect(named('not below')).not.toHaveProperty('parentSpanId');
  });
});
