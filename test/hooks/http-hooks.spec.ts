import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { parseHooks } from '../../src/engine/hooks/hooks-file.js';
import { MatchingHooks } from '../../src/engine/hooks/hooks.js';
import type { Resolve } from '../../src/engine/hooks/addresses.js';
import type { HookEvent } from '../../packages/protocol/hooks/hook-events.js';
import { Clock, type HookCall } from '../../src/ports/index.js';
import { MemoryTenants } from '../support/memory-tenants.js';
import { RawReceiver, Receiver } from './support/receiver.js';
import type { HookRun } from '../../packages/protocol/hooks/hook-run.js';

class SystemClock extends Clock {
  override now = () => Date.now();
  override uuid = () => randomUUID();
}

const ANSWER_BYTES = 32_000;
const SETTINGS = {
  directory: '/srv/verbatim',
  sandbox: null,
  environment: { HOOK_TOKEN: 's3cret' },
  outputCharacters: 1_000,
  answerBytes: ANSWER_BYTES,
};
const TENANT = 'a-tenant';

const callOf = (event: HookEvent, more: Partial<HookCall> = {}): HookCall => ({
  event,
  tenantId: TENANT,
  sessionId: 'a-session',
  permissionMode: 'default',
  input: {},
  ...more,
});
const never = new AbortController().signal;

let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start();
});
afterAll(() => receiver.stop());
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = () => ({});
});

/** An operator's hook. */
function operators(url: string, more: object = {}, event: HookEvent = 'UserPromptSubmit'): MatchingHooks {
  const text = JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: 'http', url, timeout: 20, ...more }] }] } });
  const hooks = parseHooks(text, 'hooks.json', { timeoutMs: 60_000, environment: SETTINGS.environment });
  return new MatchingHooks(hooks, new MemoryTenants(), { timeoutMs: 20_000, maxHooks: 10, allowPrivate: false }, SETTINGS, new SystemClock());
}

interface TenantScene {
  readonly event?: HookEvent;
  readonly matcher?: string;
  readonly allowPrivate?: boolean;
  readonly resolve?: Resolve;
}

/** A tenant's hook. */
async function tenants(url: string, { event = 'UserPromptSubmit', matcher, allowPrivate = false, resolve }: TenantScene = {}): Promise<MatchingHooks> {
  const configuration = new MemoryTenants();
  await configuration.change(TENANT, {
    hooks: { [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'http', url, headers: { authorization: 'Bearer t' } }] }] },
    hookSecret: 'vbhook_x',
  });
  return new MatchingHooks([], configuration, { timeoutMs: 20_000, maxHooks: 10, allowPrivate, ...(resolve ? { resolve } : {}) }, SETTINGS, new SystemClock());
}

async function only(runs: Promise<readonly HookRun[]>): Promise<HookRun> {
  const [run, ...others] = await runs;
  if (!run || others.length > 0) throw new Error('one run was expected');
  return run;
}

describe('the request of an HTTP hook', () => {
  it('posts the JSON that a command reads, with the configured headers', async () => {
    const headers = { Authorization: 'Bearer $HOOK_TOKEN', 'X-None': '$HOME' };
    const run = await only(
      operators(receiver.url('/in?key=1'), { headers, allowedEnvVars: ['HOOK_TOKEN'] }).run(
        callOf('UserPromptSubmit', { input: { prompt: 'hello “you”' }, workload: 'nightly' }),
        never,
      ),
    );
    const [received] = receiver.received;
    expect(received).toMatchObject({
      method: 'POST',
      path: '/in?key=1',
      headers: { authorization: 'Bearer s3cret', 'x-none': '', 'content-type': 'application/json', 'accept-encoding': 'identity' },
    });
    expect(received?.headers).not.toHaveProperty('verbatim-hook-signature');
    expect(JSON.parse(received?.body ?? '')).toEqual(run.input);
    expect(run).toMatchObject({ outcome: 'success', exitCode: null, httpStatus: 200, hook: { type: 'http', url: receiver.url('/in?…') } });
    expect(run.input).toEqual({
      session_id: 'a-session',
      transcript_path: '',
      cwd: '/srv/verbatim',
      permission_mode: 'default',
      hook_event_name: 'UserPromptSubmit',
      workload: 'nightly',
      prompt: 'hello “you”',
    });
    expect(received?.headers['verbatim-hook-id']).toBe(run.hookRunId);
  });

  it('is signed for a tenant, and contains nothing of this machine', async () => {
    const run = await only((await tenants(receiver.url(), { allowPrivate: true })).run(callOf('UserPromptSubmit'), never));
    const [{ headers, body }] = receiver.received as unknown as [{ headers: Record<string, string>; body: string }];
    const signed = createHmac('sha256', 'vbhook_x').update(`${headers['verbatim-hook-timestamp']}.${body}`).digest('hex');
    expect(headers['verbatim-hook-signature']).toBe(`sha256=${signed}`);
    expect(headers['authorization']).toBe('Bearer t');
    expect(run.input).toMatchObject({ cwd: '' });
    expect(JSON.stringify(run)).not.toContain('Bearer');
  });

  it('leaves no connection open', async () => {
    await operators(receiver.url()).run(callOf('UserPromptSubmit'), never);
    while ((await receiver.connections()) > 0) await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('the answer of an HTTP hook', () => {
  const json = (value: object) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) });

  it.each<[string, HookEvent, ReturnType<Receiver['answer']>, object]>([
    ['is nothing', 'PreToolUse', {}, { outcome: 'success' }],
    ['is nothing, and says so', 'PreToolUse', { status: 204 }, { outcome: 'success', httpStatus: 204 }],
    ['is plain text for the model', 'PreToolUse', { body: 'careful\n' }, { outcome: 'success', additionalContext: 'careful' }],
    ['is ignored as plain text', 'Stop', { body: 'fine' }, { outcome: 'success', stdout: 'fine' }],
    [
      'is JSON as a command prints it',
      'PreToolUse',
      json({ hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' } }),
      { outcome: 'blocked', decision: 'deny', reason: 'no' },
    ],
    [
      'is JSON, whatever it says it is',
      'Stop',
      { headers: { 'content-type': 'text/html' }, body: '{"decision":"block","reason":"go on"}' },
      { outcome: 'blocked', reason: 'go on' },
    ],
    ['is half of it', 'Stop', { body: '{"decision":"blo' }, { outcome: 'non_blocking_error', reason: expect.stringContaining('cannot be read') }],
    [
      'is an error, whatever it says',
      'PreToolUse',
      { status: 500, body: '{"decision":"block"}' },
      { outcome: 'non_blocking_error', httpStatus: 500, reason: 'The hook answered with status 500.' },
    ],
    [
      'leads elsewhere',
      'PreToolUse',
      { status: 302, headers: { location: '/other' } },
      { outcome: 'non_blocking_error', reason: expect.stringContaining('redirect (302)') },
    ],
    [
      'is compressed',
      'PreToolUse',
      { headers: { 'content-encoding': 'gzip' }, body: gzipSync('{}').toString('latin1') },
      { outcome: 'non_blocking_error', reason: expect.stringContaining('compressed') },
    ],
    [
      'is too long',
      'PreToolUse',
      { body: 'x'.repeat(ANSWER_BYTES + 1) },
      { outcome: 'non_blocking_error', reason: `The hook's answer is longer than ${ANSWER_BYTES} bytes and was not read.` },
    ],
    [
      'is cut',
      'PreToolUse',
      { body: 'x'.repeat(1_500) },
      { outcome: 'success', additionalContext: `${'x'.repeat(1_000)}\n[Output cut after 1000 characters: 500 more were left out]` },
    ],
  ])('that %s (%s)', async (_name, event, said, expected) => {
    receiver.answer = () => said;
    const run = await only(operators(receiver.url(), {}, event).run(callOf(event), never));
    expect(run).toMatchObject({ event, ...expected });
    expect('decision' in run).toBe('decision' in expected);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('a misbehaving receiver', () => {
  const speak = async (talk: Parameters<typeof RawReceiver.start>[0], timeout: number, signal = never): Promise<HookRun> => {
    const raw = await RawReceiver.start(talk);
    try {
      const run = await only(operators(raw.url, { timeout }).run(callOf('UserPromptSubmit'), signal));
      await raw.closed; // nothing is left open
      return run;
    } finally {
      await raw.stop();
    }
  };
  const repeat = (socket: { write: (text: string) => boolean; destroyed: boolean }, text: string): void => {
    const more = (): void => {
      if (socket.destroyed) return;
      socket.write(text);
      setImmediate(more);
    };
    more();
  };

  it('times out when there is no answer', async () => {
    expect(await speak((socket) => socket.resume(), 0.3)).toMatchObject({ outcome: 'timeout', reason: 'The hook did not answer in full within 300 ms.' });
  });

  it('times out when the answer arrives byte by byte', async () => {
    const drip = (socket: Parameters<Parameters<typeof RawReceiver.start>[0]>[0]): void => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer)).resume();
    };
    expect(await speak(drip, 0.5)).toMatchObject({ outcome: 'timeout' });
  });

  it('fails when the answer never ends', async () => {
    const flood = (socket: Parameters<Parameters<typeof RawReceiver.start>[0]>[0]): void => {
      socket.resume();
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      repeat(socket, `400\r\n${'x'.repeat(1_024)}\r\n`);
    };
    expect(await speak(flood, 20)).toMatchObject({ outcome: 'non_blocking_error', reason: expect.stringContaining('is longer than') });
  });

  it.each([
    ['sends headers without end', 'HTTP/1.1 200 OK\r\n', `a: ${'x'.repeat(1_000)}\r\n`, 'HPE_HEADER_OVERFLOW'],
    ['promises an answer again and again', '', 'HTTP/1.1 102 Processing\r\n\r\n', 'is longer than'],
    ['does not speak http', 'SSH-2.0-OpenSSH\r\n', 'x', 'HPE_INVALID_CONSTANT'],
  ])('%s', async (_name, begin, then, reason) => {
    const talk = (socket: Parameters<Parameters<typeof RawReceiver.start>[0]>[0]): void => {
      socket.resume();
      socket.write(begin);
      repeat(socket, then);
    };
    expect(await speak(talk, 20)).toMatchObject({ outcome: 'non_blocking_error', reason: expect.stringContaining(reason) });
  });

  it('fails when the connection is closed', async () => {
    expect(await speak((socket) => socket.destroy(), 20)).toMatchObject({
      outcome: 'non_blocking_error',
      reason: 'The hook could not be reached (ECONNRESET).',
    });
    expect(await speak((socket) => socket.resume().end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"decision"'), 20)).toMatchObject({
      outcome: 'non_blocking_error',
      reason: 'The hook could not be reached (ECONNRESET).',
    });
  });

  it('fails when nothing listens', async () => {
    const gone = await RawReceiver.start(() => {});
    const { url } = gone;
    await gone.stop();
    expect(await only(operators(url).run(callOf('UserPromptSubmit'), never))).toMatchObject({
      outcome: 'non_blocking_error',
      reason: 'The hook could not be reached (ECONNREFUSED).',
    });
  });

  it('is abandoned when its turn is interrupted', async () => {
    const controller = new AbortController();
    const stop = (socket: { resume: () => unknown }): void => {
      socket.resume();
      controller.abort();
    };
    expect(await speak(stop, 20, controller.signal)).toMatchObject({
      outcome: 'non_blocking_error',
      reason: 'The hook was stopped because its turn was interrupted.',
    });
    expect(await only(operators(receiver.url()).run(callOf('UserPromptSubmit'), controller.signal))).toMatchObject({
      reason: expect.stringContaining('stopped'),
    });
    expect(receiver.received).toEqual([]);
  });
});

describe('the URL of a tenant’s hook', () => {
  const inside: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];

  it('is not called when its name resolves to a private address', async () => {
    const hooks = await tenants(`https://hooks.example.com:${receiver.port}/`, { resolve: inside });
    expect(await only(hooks.run(callOf('UserPromptSubmit'), never))).toMatchObject({
      outcome: 'non_blocking_error',
      reason: "The hook's address is not on the public internet, so it was not called.",
    });
    expect(receiver.received).toEqual([]);
    expect(await receiver.connections()).toBe(0);
  });

  it('is not called when one of its addresses is private', async () => {
    const resolve: Resolve = async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '::ffff:127.0.0.1', family: 6 },
    ];
    expect(await only((await tenants('https://hooks.example.com/', { resolve })).run(callOf('UserPromptSubmit'), never))).toMatchObject({
      reason: expect.stringContaining('public internet'),
    });
  });

  it('is resolved once, so that a DNS record that changes after the check has no effect', async () => {
    let asked = 0;
    const rebinding: Resolve = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }]; // no server listens on the first
    };
    const hooks = await tenants(`http://rebind.example.com:${receiver.port}/`, { resolve: rebinding, allowPrivate: true });
    expect(await only(hooks.run(callOf('UserPromptSubmit'), never))).toMatchObject({
      outcome: 'non_blocking_error',
      reason: expect.stringMatching(/ECONNREFUSED|EADDRNOTAVAIL/),
    });
    expect(asked).toBe(1);
    expect(receiver.received).toEqual([]);
  });

  it('is not followed when it redirects', async () => {
    receiver.answer = ({ path }) => (path === '/' ? { status: 307, headers: { location: '/inside' } } : {});
    expect(await only((await tenants(receiver.url(), { allowPrivate: true })).run(callOf('UserPromptSubmit'), never))).toMatchObject({
      reason: expect.stringContaining('redirect (307)'),
    });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/']);
  });

  it('is not called when it is no longer allowed, and the run says so', async () => {
    expect(await only((await tenants(receiver.url())).run(callOf('UserPromptSubmit'), never))).toMatchObject({
      outcome: 'non_blocking_error',
      reason: expect.stringContaining('https://'),
    });
    expect(await only((await tenants(`https://127.0.0.1:${receiver.port}/`)).run(callOf('UserPromptSubmit'), never))).toMatchObject({
      reason: expect.stringContaining('public internet'),
    });
    expect(receiver.received).toEqual([]);
  });

  it('is resolved within the timeout of the hook, and the query is cancelled', async () => {
    let stopped = false;
    const resolve: Resolve = (_, signal) => new Promise(() => signal.addEventListener('abort', () => (stopped = true)));
    const configuration = new MemoryTenants();
    await configuration.change(TENANT, { hooks: { Stop: [{ hooks: [{ type: 'http', url: 'https://slow.example.com', timeout: 0.2 }] }] } });
    const hooks = new MatchingHooks([], configuration, { timeoutMs: 20_000, maxHooks: 10, allowPrivate: false, resolve }, SETTINGS, new SystemClock());
    expect(await only(hooks.run(callOf('Stop'), never))).toMatchObject({ outcome: 'timeout' });
    expect(stopped).toBe(true);
  });

  it('fails without a name server', async () => {
    const resolve: Resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    expect(await only((await tenants('https://nowhere.example.com/', { resolve })).run(callOf('UserPromptSubmit'), never))).toMatchObject({
      reason: 'The hook could not be reached (ENOTFOUND).',
    });
  });

  it('runs after the operator’s hooks in the result, and each URL once', async () => {
    const configuration = new MemoryTenants();
    const hook = { type: 'http', url: receiver.url('/tenant') };
    await configuration.change(TENANT, { hooks: { PreToolUse: [{ matcher: 'mcp__.*|Bash', hooks: [hook, hook] }, { hooks: [hook] }] } });
    const own = parseHooks(JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'http', url: receiver.url('/operator') }] }] } }), 'hooks.json', {
      timeoutMs: 9_000,
      environment: {},
    });
    const hooks = new MatchingHooks(own, configuration, { timeoutMs: 20_000, maxHooks: 10, allowPrivate: true }, SETTINGS, new SystemClock());
    expect((await hooks.run(callOf('PreToolUse', { subject: 'mcp__memory__read' }), never)).map((run) => run.hook.url)).toEqual([
      receiver.url('/operator'),
      receiver.url('/tenant'),
    ]);
    expect(await hooks.run(callOf('PreToolUse', { tenantId: 'another' }), never)).toHaveLength(1);
    expect(await hooks.configured(TENANT)).toEqual([
      { source: 'deployment', event: 'PreToolUse', matcher: null, type: 'http', url: receiver.url('/operator'), timeoutMs: 9_000 },
      ...['mcp__.*|Bash', 'mcp__.*|Bash', null].map((matcher) => ({
        source: 'tenant',
        event: 'PreToolUse',
        matcher,
        type: 'http',
        url: receiver.url('/tenant'),
        timeoutMs: 20_000,
      })),
    ]);
  });
});
