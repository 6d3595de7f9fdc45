import { afterEach, describe, expect, it } from '@jest/globals';
import { ProcessPool, type PoolOptions } from '../../src/platform/compute-pool/process-pool.js';
import type { ComputeResult, ComputeTask } from '../../src/ports/index.js';
import { until } from '../support/until.js';
import { systemPrincipal } from '../../packages/protocol/access/principal.js';

const PRINCIPAL = systemPrincipal('t', 'u');
const asked = (sessionId: string): ComputeTask => ({ kind: 'payload', principal: PRINCIPAL, sessionId, input: {} });
const read = ({ json }: ComputeResult): Record<string, unknown> => JSON.parse(Buffer.from(json).toString()) as Record<string, unknown>;

describe('the compute pool', () => {
  let pool: ProcessPool;
  afterEach(() => pool.close());

  const open = (options: Partial<PoolOptions> = {}): void => {
    const program = new URL('./scripted-program.js', import.meta.url);
    pool = new ProcessPool({ program, setup: { a: 1 }, processes: 1, queue: 1, timeoutMs: 60_000, memoryMb: 64, idleMs: 60_000, ...options });
  };
  const pid = async (): Promise<number> => read(await pool.run(asked('set-up')))['pid'] as number;
  const isThere = (process_: number): boolean => {
    try {
      return process.kill(process_, 0);
    } catch {
      return false;
    }
  };

  it('returns JSON and its version, using the set-up', async () => {
    open();
    const answer = await pool.run(asked('set-up'));
    expect([answer.version, read(answer)]).toEqual([3, { version: 3, setup: { a: 1 }, pid: expect.any(Number) }]);
    expect(await pid()).toBe(read(answer)['pid']);
  });

  it('tells its processes which sessions to forget', async () => {
    open();
    await pid();
    pool.forget('t', 'erased');
    expect(read(await pool.run(asked('forgotten')))).toEqual({ forgotten: ['t/erased'] });
  });

  it('passes bodies of any size unchanged', async () => {
    open();
    for (const length of [0, 1, 7, 65_536, 5_000_000]) {
      const body = Buffer.alloc(length, 1);
      if (length > 0) body[length - 1] = 2;
      const answer = await pool.run({ kind: 'normalize', body });
      expect([answer.version, read(answer)]).toEqual([null, length === 0 ? { length } : { length, first: length === 1 ? 2 : 1, last: 2 }]);
    }
  });

  it('passes on rejections with all members', async () => {
    open();
    await expect(pool.run(asked('reject'))).rejects.toMatchObject({
      name: 'DomainError',
      code: 'invalid_input',
      message: 'No.',
      faults: [{ pointer: '/a', text: 'b' }],
      details: { limit: 7 },
    });
  });

  it('distinguishes bugs from rejections, and keeps the process', async () => {
    open();
    const before = await pid();
    await expect(pool.run(asked('fail'))).rejects.toMatchObject({ name: 'Error', message: expect.stringMatching(/TypeError: a bug[^]*scripted-program/) });
    expect(await pid()).toBe(before);
  });

  it('kills a process at the timeout and starts another for the next task', async () => {
    open({ timeoutMs: 3_000 });
    // On a busy machine a process may need longer to start; it is killed, too.
    const started = (): Promise<number> =>
      pid().catch((error: { readonly code?: string }) => (error.code === 'unavailable' ? started() : Promise.reject(error)));
    const before = await started();
    await expect(pool.run(asked('hang'))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('3000 ms'),
      details: { limit: 3_000 },
    });
    expect(await started()).not.toBe(before);
  });

  it('survives a process that runs out of memory', async () => {
    open();
    const before = await pid();
    await expect(pool.run(asked('eat'))).rejects.toMatchObject({
      code: 'payload_too_large',
      message: expect.stringContaining('64 MB'),
      details: { limit: 64 },
    });
    expect(await pid()).not.toBe(before);
  });

  it('rejects a task that crashes the process', async () => {
    open();
    const before = await pid();
    await expect(pool.run(asked('break'))).rejects.toMatchObject({ code: 'unavailable', details: { signal: 'SIGSEGV' } });
    expect(await pid()).not.toBe(before);
  });

  it('reports the output of a process that exits unexpectedly', async () => {
    open();
    await expect(pool.run(asked('leave'))).rejects.toMatchObject({ name: 'Error', message: expect.stringMatching(/\(5\): on my way out/) });
    expect(await pid()).toBeGreaterThan(0);
  });

  it('runs tasks sequentially in one process, and rejects tasks beyond the queue limit at once', async () => {
    open();
    const left = [pool.run(asked('stay')), pool.run(asked('stay'))].map(async (answer) => answer.catch((error: unknown) => error));
    await expect(pool.run(asked('set-up'))).rejects.toMatchObject({ code: 'unavailable', details: { retryAfter: expect.any(Number) } });
    pool.close();
    const stopping = { code: 'unavailable', message: expect.stringContaining('shutting down') };
    for (const request of left) expect(await request).toMatchObject(stopping);
    await expect(pool.run(asked('set-up'))).rejects.toMatchObject(stopping);
  });

  it('runs tasks concurrently in several processes, in order of arrival', async () => {
    open({ processes: 2, queue: 10 });
    void pool.run(asked('stay')).catch(() => {});
    const answers = await Promise.all([pid(), pid(), pid()]);
    expect(new Set(answers).size).toBe(1);
  });

  it('ends idle processes', async () => {
    open({ idleMs: 1 });
    const before = await pid();
    await until('the process is gone', async () => !isThere(before));
    expect(await pid()).not.toBe(before);
  });
});
