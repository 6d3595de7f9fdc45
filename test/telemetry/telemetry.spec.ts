import { describe, expect, it } from '@jest/globals';
import { PinoLogger } from '../../src/platform/telemetry/pino-logger.js';
import { PrometheusTelemetry } from '../../src/platform/telemetry/prometheus-telemetry.js';

function capture(level: 'info' | 'trace' | 'silent' = 'trace') {
  const lines: Record<string, unknown>[] = [];
  return { lines, log: new PinoLogger(level, { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) }) };
}

describe('the log', () => {
  it('writes one JSON line per call, with its context', () => {
    const { lines, log } = capture();
    log.log('started', 'App');
    log.debug({ msg: 'answered', status: 200 }, 'Http');
    log.error('broken', 'the stack', 'Worker');
    expect(lines).toEqual([
      expect.objectContaining({ level: 'info', msg: 'started', context: 'App' }),
      expect.objectContaining({ level: 'debug', msg: 'answered', status: 200, context: 'Http' }),
      expect.objectContaining({ level: 'error', msg: 'broken', stack: 'the stack', context: 'Worker' }),
    ]);
  });

  it('writes errors with their stack', () => {
    const { lines, log } = capture();
    log.error(new TypeError('wrong'), 'Http');
    expect(lines[0]).toMatchObject({
      level: 'error',
      msg: 'wrong',
      context: 'Http',
      err: { type: 'TypeError', message: 'wrong', stack: expect.stringContaining('telemetry.spec') },
    });
  });

  it('leaves out what is below its level', () => {
    const quiet = capture('info');
    quiet.log.debug('no');
    quiet.log.verbose('no');
    quiet.log.warn('yes');
    expect(quiet.lines.map(({ msg }) => msg)).toEqual(['yes']);
    const silent = capture('silent');
    silent.log.fatal('no');
    expect(silent.lines).toEqual([]);
  });

  it('has the fields of its request, across awaits', async () => {
    const { lines, log } = capture();
    const telemetry = new PrometheusTelemetry();
    const request = (requestId: string) =>
      telemetry.within({ requestId }, async () => {
        await new Promise(setImmediate);
        await telemetry.within({ workload: 'nightly' }, async () => {
          await new Promise(setImmediate);
          log.log(requestId);
          expect(telemetry.fields()).toEqual({ requestId, workload: 'nightly' });
        });
        expect(telemetry.fields()).toEqual({ requestId });
      });
    await Promise.all([request('one'), request('two')]);
    expect(lines.map(({ msg, requestId, workload }) => [msg, requestId, workload])).toEqual([
      ['one', 'one', 'nightly'],
      ['two', 'two', 'nightly'],
    ]);
    expect(telemetry.fields()).toEqual({});
  });
});

describe('metrics', () => {
  it('count, time and gauge under the documented names', async () => {
    const telemetry = new PrometheusTelemetry();
    telemetry.count('turns', { outcome: 'completed', dispatch: 'direct' });
    telemetry.count('model_tokens', { kind: 'input' }, 12);
    telemetry.observe('turn_seconds', { outcome: 'completed' }, 0.3);
    telemetry.gauge('event_streams', 4);
    const { contentType, text } = await telemetry.exposition();
    expect(contentType).toMatch(/^text\/plain/);
    expect(text).toContain('verbatim_turns_total{outcome="completed",dispatch="direct"} 1');
    expect(text).toContain('verbatim_model_tokens_total{kind="input"} 12');
    expect(text).toContain('verbatim_turn_seconds_bucket{le="0.5",outcome="completed"} 1');
    expect(text).toContain('verbatim_event_streams 4');
    expect(text).toMatch(/^process_cpu_seconds_total /m);
  });

  it('work without the backlog while the database is unavailable', async () => {
    const away = new PrometheusTelemetry({ read: () => Promise.reject(new Error('the database is away')) });
    const { text } = await away.exposition();
    expect(text).toContain('verbatim_outbox_jobs Nan');
    expect(text).toContain('verbatim_event_streams 0');
    let reads = 0;
    const there = new PrometheusTelemetry({
      read: async () => {
        reads += 1;
        return { jobs: 3, oldestJobSeconds: 1.5, prompts: 7 };
      },
    });
    const figures = (await there.exposition()).text;
    for (const line of ['verbatim_outbox_jobs 3', 'verbatim_outbox_oldest_seconds 1.5', 'verbatim_prompts_waiting 7']) expect(figures).toContain(line);
    expect(reads).toBe(1);
  });

  it('of two instances in one process are separate', async () => {
    const [one, other] = [new PrometheusTelemetry(), new PrometheusTelemetry()];
    one.gauge('event_streams', 4);
    expect((await other.exposition()).text).toContain('verbatim_event_streams 0');
  });
});
