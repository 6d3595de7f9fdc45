import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import type { Answer, UnknownObject } from '../support/client.js';
import { z } from 'zod';
import { list } from '../../src/http/schemas/bounded.js';
import { Edge } from './support/edge.js';

const LIMIT = 1024 * 1024;

describe('bad input', () => {
  let edge: Edge;
  let id: string;
  let path: string;

  beforeAll(async () => {
    edge = await Edge.start({ MAX_BODY_BYTES: String(LIMIT) });
  });
  afterAll(() => edge.stop());
  beforeEach(() => {
    id = edge.session();
    path = `/v1/sessions/${id}/prompts`;
    edge.commands.sent.length = 0;
  });

  /** Posts bytes as they are. */
  const raw = async (body: RequestInit['body'], headers: Record<string, string> = { 'content-type': 'application/json' }): Promise<Answer<UnknownObject>> => {
    const request: RequestInit & { readonly duplex: 'half' } = {
      method: 'POST',
      headers: { authorization: 'Bearer vb_admin', ...headers },
      body: body ?? null,
      duplex: 'half',
    };
    const response = await fetch(edge.url + path, request);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };

  const expectProblem = (answer: Answer<UnknownObject>, status: number, code: string, pointers?: readonly string[]): void => {
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.body).toMatchObject({ status, code });
    expect(answer.status).toBe(status);
    expect(answer.body.instance).toBe(answer.headers.get('x-request-id'));
    if (pointers) expect(answer.body.errors.map((fault: UnknownObject) => fault.pointer)).toEqual(pointers);
    expect(edge.commands.sent).toEqual([]);
  };

  describe('shapes', () => {
    const prompts: readonly (readonly [title: string, body: unknown, pointers: readonly string[]])[] = [
      ['no input', {}, ['/input']],
      ['a number', 7, ['']],
      ['null', null, ['']],
      ['a list', [], ['']],
      ['input of a wrong type', { input: 5 }, ['/input']],
      ['input null', { input: null }, ['/input']],
      ['a block without a type', { input: [{ text: 'x' }] }, ['/input/0/type']],
      ['a text block without text', { input: [{ type: 'text', text: 'a' }, { type: 'text' }] }, ['/input/1/text']],
      ['an unknown member', { input: 'x', inptu: 'y', 'a/b~c': 1 }, ['/inptu', '/a~1b~0c']],
      ['an unknown mode', { input: 'x', mode: 'shell' }, ['/mode']],
      ['a flag that is none', { input: 'x', skipSlashCommands: 'yes' }, ['/skipSlashCommands']],
      ['a paste without a number', { input: 'x', pastedContents: { one: { type: 'text', content: 'x' } } }, ['/pastedContents/one']],
      ['a paste of a wrong type', { input: 'x', pastedContents: { '1': { type: 'video', content: 'x' } } }, ['/pastedContents/1/type']],
      ['an attachment without a type', { input: 'x', attachments: [{ a: 1 }] }, ['/attachments/0/type']],
      ['a uuid that is none', { input: 'x', uuid: '123' }, ['/uuid']],
      ['several faults at once', { input: 1, mode: 2, uuid: 3 }, ['/input', '/mode', '/uuid']],
    ];
    it.each(prompts)('prompt: %s', async (_, body, pointers) => expectProblem(await raw(JSON.stringify(body)), 400, 'invalid_input', pointers));

    const others: readonly (readonly [method: string, route: string, body: unknown, pointers: readonly string[]])[] = [
      ['POST', '/v1/sessions', { title: 'x'.repeat(1_001) }, ['/title']],
      ['POST', '/v1/sessions', { title: 'nul \u0000' }, ['/title']],
      ['POST', '/v1/sessions', { title: 'half \ud83d' }, ['/title']],
      ['POST', '/v1/sessions', { tools: [{ name: 'has space', input_schema: { type: 'object' } }] }, ['/tools/0/name']],
      ['POST', '/v1/sessions', { tools: [{ name: 'a', input_schema: [] }] }, ['/tools/0/input_schema']],
      [
        'POST',
        '/v1/sessions',
        {
          tools: [
            { name: 'a', input_schema: { type: 'object' } },
            { name: 'a', input_schema: { type: 'object' } },
          ],
        },
        ['/tools/1/name'],
      ],
      ['POST', '/v1/sessions', { tools: [{ name: 'a', input_schema: {} }] }, ['/tools/0/input_schema/type']],
      ['POST', '/v1/sessions', { tools: [{ name: 'a', input_schema: { type: 'object', anyOf: [] } }] }, ['/tools/0/input_schema/anyOf']],
      ['POST', '/v1/sessions', { context: { a: 1 } }, ['/context/a']],
      ['POST', '/v1/sessions', { permissionMode: 'yolo' }, ['/permissionMode']],
      ['POST', '/v1/sessions', { metadata: [] }, ['/metadata']],
      ['POST', '/v1/sessions', { id: 'mine' }, ['/id']],
      ['PATCH', '/v1/sessions/:id', { model: '' }, ['/model']],
      ['POST', '/v1/sessions/:id/reopen', { x: 1 }, ['/x']],
      ['POST', '/v1/sessions/:id/close', { reason: 1 }, ['/reason']],
      ['POST', '/v1/sessions/:id/rewinds', {}, ['']],
      ['POST', '/v1/sessions/:id/rewinds', { before: '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e', after: '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e' }, ['']],
      ['POST', '/v1/sessions/:id/rewinds', { before: 'x' }, ['/before']],
      ['POST', '/v1/sessions/:id/tool-results', { results: [] }, ['/results']],
      ['POST', '/v1/sessions/:id/tool-results', { results: [{ toolUseId: '', content: 1 }] }, ['/results/0/toolUseId', '/results/0/content']],
      ['POST', '/v1/sessions/:id/hook-runs', {}, ['/event']],
      ['POST', '/v1/normalize', {}, ['/messages']],
      ['POST', '/v1/normalize', { messages: ['x'], gates: { a: 1 } }, ['/messages/0', '/gates/a']],
      ['POST', '/v1/tokens', { role: 'root' }, ['/role']],
      ['POST', '/v1/tokens', { expiresAt: 'tomorrow' }, ['/expiresAt']],
      ['POST', '/v1/tokens', { expiresAt: '2001-01-01T00:00:00Z' }, ['/expiresAt']],
    ];
    it.each(others)('%s %s, case %#', async (method, route, body, pointers) =>
      expectProblem(await edge.client.call(method, route.replace(':id', id), body), 400, 'invalid_input', pointers),
    );

    const queries: readonly (readonly [string, readonly string[]])[] = [
      ['?limit=0', ['?limit']],
      ['?limit=1.5', ['?limit']],
      ['?limit=', ['?limit']],
      ['?limit=999999999999999999999', ['?limit']],
      ['?limit=5&limit=6', ['?limit']],
      ['?colour=red', ['?colour']],
    ];
    it.each(queries)('list %s', async (query, pointers) => expectProblem(await edge.client.get(`/v1/sessions${query}`), 400, 'invalid_input', pointers));

    it('headers', async () => {
      expectProblem(await edge.client.post(path, { input: 'x' }, { 'idempotency-key': 'x'.repeat(256) }), 400, 'invalid_input', ['Idempotency-Key']);
      expectProblem(await edge.client.post(path, { input: 'x' }, { 'idempotency-key': 'a b' }), 400, 'invalid_input', ['Idempotency-Key']);
    });

    it('lists a bounded number of faults', async () => {
      const answer = await raw(JSON.stringify({ input: 'x', ...Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`member${index}`, 1])) }));
      expectProblem(answer, 400, 'invalid_input');
      expect(answer.body.errors).toHaveLength(50);
    });
  });

  describe('bodies', () => {
    it('that are not JSON are rejected, with the place', async () => {
      const cases: readonly (readonly [string, number])[] = [
        ['{"input": "x"', 13],
        ['{"input": x}', 10],
        ['{"input": "x",}', 14],
        ["{'input': 1}", 1],
        ['[1 2]', 3],
        ['"\\x"', 1],
        ['"a\nb"', 2],
        ['nul', 0],
        ['01', 1],
        ['{} {}', 3],
        ['\ufeff{}', 0],
        ['   ', 3],
      ];
      for (const [body, position] of cases) {
        const answer = await raw(body);
        expectProblem(answer, 400, 'malformed_json');
        expect([body, answer.body.position]).toEqual([body, position]);
      }
    });

    it('that are not UTF-8 are rejected', async () => {
      expectProblem(await raw(Buffer.from([0x7b, 0x22, 0x69, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d])), 400, 'malformed_json');
      // A surrogate written as if it were a character.
      expectProblem(await raw(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), 400, 'malformed_json');
    });

    it('of another type, charset or encoding are rejected', async () => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/json; charset=latin1',
        'application/xml',
        '',
      ]) {
        expectProblem(await raw('{"input":"x"}', type === '' ? { 'content-type': 'x' } : { 'content-type': type }), 415, 'unsupported_media_type');
      }
      expectProblem(await raw('{"input":"x"}', { 'content-type': 'application/json', 'content-encoding': 'gzip' }), 415, 'unsupported_media_type');
    });

    it('of the right type in its other spellings are taken', async () => {
      for (const type of ['application/json', 'APPLICATION/JSON; charset=UTF-8', 'application/json;charset="utf-8"', 'application/vnd.x+json']) {
        expect((await raw('{"input":"x"}', { 'content-type': type })).status).toBe(202);
      }
    });

    it('nested 100,000 levels deep are rejected, arrays and objects', async () => {
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        expectProblem(await raw(`{"input":"x","origin":${open.repeat(100_000)}1${close.repeat(100_000)}}`), 400, 'invalid_input', ['']);
        expectProblem(await raw(open.repeat(100_000)), 400, 'invalid_input', ['']);
      }
      expect((await raw(`{"input":"x","origin":${'['.repeat(199)}${']'.repeat(199)}}`)).status).toBe(202);
      expect((await raw(JSON.stringify({ input: '['.repeat(100_000) + '\\"{' }))).status).toBe(202);
    });

    it('with numbers that would be lost are rejected, with the place', async () => {
      expectProblem(await raw('{"input":"x","origin":{"a":[1,{"b/c":1e400}]}}'), 400, 'invalid_input', ['/origin/a/1/b~1c']);
      expect((await raw('{"input":"x","origin":{"a":1e308,"b":-0.1e-400}}')).status).toBe(202);
    });

    it('with a member named __proto__ are rejected; constructor and prototype are names like others', async () => {
      expectProblem(await raw('{"input":"x","origin":{"__proto__":{"admin":true}}}'), 400, 'invalid_input', ['/origin/__proto__']);
      expectProblem(await raw('{"input":"x","\\u005f_proto__":1}'), 400, 'invalid_input', ['/__proto__']);
      await raw('{"input":"x","origin":{"constructor":1,"prototype":{"a":2}}}');
      expect(JSON.stringify(edge.commands.last['submission'])).toContain('{"constructor":1,"prototype":{"a":2}}');
    });

    it('with the same member twice count the last one, as JSON.parse does', async () => {
      await raw('{"input":"first","input":"second"}');
      expect(edge.commands.last['submission']).toMatchObject({ input: 'second' });
    });

    it('keep their text to the last character', async () => {
      const text = ' \t nul \u0000, lone \ud83d and \udc00, é and e\u0301, 🧵, \u2028, "quotes" \\ \r\n ';
      await raw(JSON.stringify({ input: text, pastedContents: { '1': { type: 'text', content: text } }, origin: { z: text, a: [text] } }));
      expect(edge.commands.last['submission']).toMatchObject({ input: text, pastedContents: { '1': { content: text } } });
      expect(JSON.stringify((edge.commands.last['submission'] as UnknownObject).origin)).toBe(JSON.stringify({ z: text, a: [text] }));
    });
  });

  describe('many values', () => {
    const bodyOf = (attachments: readonly unknown[]): string => JSON.stringify({ input: 'x', attachments });

    it('rejects a body with more values than MAX_JSON_VALUES before it is parsed', async () => {
      const limited = await Edge.start({ MAX_JSON_VALUES: '1000' });
      const send = (count: number) => limited.client.post(`/v1/sessions/${limited.session()}/prompts`, { input: 'x', origin: Array(count).fill(0) });
      expect((await send(990)).status).toBe(202);
      const { status, body } = await send(1_001);
      expect([status, body.code, body.limit]).toEqual([413, 'payload_too_large', 1000]);
      await limited.stop();
    });

    it('rejects a body with more text than MAX_JSON_TEXT_BYTES; the base64 of files does not count, in other members it does', async () => {
      const limited = await Edge.start({ MAX_JSON_TEXT_BYTES: '10000' });
      const send = (origin: unknown) => limited.client.post(`/v1/sessions/${limited.session()}/prompts`, { input: 'x', origin });
      const base64 = 'QUJD/+=='.repeat(3_000);
      expect((await send(['a b'.repeat(3_000)])).status).toBe(202);
      for (const member of ['data', 'content', 'base64']) expect((await send([{ type: 'a', [member]: base64 }])).status).toBe(202);
      for (const origin of [
        ['a b'.repeat(4_000)],
        base64,
        [base64],
        { text: base64 },
        { data: [base64] },
        { data: 'a b'.repeat(4_000) },
        { data: 1, text: base64 },
      ]) {
        const { status, body } = await send(origin);
        expect([status, body.code, body.limit]).toEqual([413, 'payload_too_large', 10_000]);
      }
      await limited.stop();
    });

    it('has its own limit for POST /v1/normalize, MAX_NORMALIZE_VALUES', async () => {
      const limited = await Edge.start({ MAX_JSON_VALUES: '10', MAX_NORMALIZE_VALUES: '1000' });
      const send = (count: number) => limited.client.post('/v1/normalize', { messages: Array(count).fill({ role: 'user', content: 'x' }) });
      expect((await send(100)).status).not.toBe(413);
      const { status, body } = await send(300);
      expect([status, body.code, body.limit]).toEqual([413, 'payload_too_large', 1_000]);
      await limited.stop();
    });

    it('counts the items of a list before it validates them', async () => {
      const answer = await raw(bodyOf(Array(1_001).fill({ type: 1 })));
      expectProblem(answer, 400, 'invalid_input', ['/attachments']);
      expect(answer.body.errors[0].detail).toBe('must not have more than 1000 items');
    });

    it('has a setting for the length of each list', async () => {
      const text = { type: 'text', text: 'x' };
      const tool = (name: string) => ({ name, input_schema: { type: 'object' } });
      const lists: readonly (readonly [setting: string, path: string, body: (count: number) => unknown, pointer: string])[] = [
        ['MAX_CONTENT_BLOCKS', 'prompts', (count) => ({ input: Array(count).fill(text) }), '/input'],
        [
          'MAX_PASTES_PER_PROMPT',
          'prompts',
          (count) => ({ input: 'x', pastedContents: numbered(count, () => ({ type: 'text', content: 'x' })) }),
          '/pastedContents',
        ],
        ['MAX_ATTACHMENTS_PER_PROMPT', 'prompts', (count) => ({ input: 'x', attachments: Array(count).fill({ type: 'a' }) }), '/attachments'],
        ['MAX_TOOL_RESULTS', 'tool-results', (count) => ({ results: Array(count).fill({ toolUseId: 'a', content: 'b' }) }), '/results'],
        ['MAX_CLIENT_TOOLS', '', (count) => ({ tools: Array.from({ length: count }, (_, index) => tool(`t${index}`)) }), '/tools'],
        ['MAX_PERMISSION_RULES', '', (count) => ({ permissions: { deny: Array(count).fill('Bash') } }), '/permissions/deny'],
        ['MAX_CONTEXT_TEXTS', '', (count) => ({ systemContext: numbered(count, () => 'x') }), '/systemContext'],
        ['MAX_NORMALIZE_MESSAGES', '/v1/normalize', (count) => ({ messages: Array(count).fill({ role: 'user', content: 'x' }) }), '/messages'],
      ];
      const limited = await Edge.start(Object.fromEntries(lists.map(([setting]) => [setting, '3'])));
      for (const [, route, body, pointer] of lists) {
        const at = route.startsWith('/') ? route : `/v1/sessions${route === '' ? '' : `/${limited.session()}/${route}`}`;
        const answer = await limited.client.post(at, body(4));
        expect([at, answer.status, answer.body.errors]).toEqual([
          at,
          400,
          [{ pointer, detail: expect.stringMatching(/^must not have more than 3 (items|members)$/) }],
        ]);
        expect((await limited.client.post(at, body(3))).body?.errors).toBeUndefined();
      }
      await limited.stop();
    });

    it('stops validating a list at the number of faults that a response reports', async () => {
      let validated = 0;
      const item = z.unknown().refine(() => (validated += 1) < 0, 'is never valid');
      const { error } = list(item, 1_000).safeParse(Array(1_000).fill(0));
      expect([validated, error?.issues.length]).toEqual([50, 50]);
      const answer = await raw(bodyOf(Array(1_000).fill({ type: 1 })));
      expect(answer.body.errors).toHaveLength(50);
    });

    it('limits the members of a record', async () => {
      const pastes = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [index + 1, { type: 'text', content: '' }]));
      expect((await raw(JSON.stringify({ input: 'x', pastedContents: pastes(1_000) }))).status).toBe(202);
      edge.commands.sent.length = 0;
      expectProblem(await raw(JSON.stringify({ input: 'x', pastedContents: pastes(1_001) })), 400, 'invalid_input', ['/pastedContents']);
    });

    it('answers a large body as it answers a small one', async () => {
      const padding = ' '.repeat(200_000);
      for (const text of ['{"input":', '{"input":"x","origin":1e400}', '{"input":"x","a":1}', '{"input":5}', '"x"', '\ufeff{}']) {
        const [small, large] = [await raw(text), await raw(padding + text)];
        expect([text, large.status, large.body.code, large.body.errors]).toEqual([text, small.status, small.body.code, small.body.errors]);
      }
      expect((await raw(`${padding}{"input":"h\u00e9 \ud83e\uddf5 é"}`)).status).toBe(202);
      expect(edge.commands.last['submission']).toMatchObject({ input: 'hé 🧵 é' });
    });
  });

  describe('too large', () => {
    const huge = 50 * 1024 * 1024;

    it('is rejected at once by its Content-Length, and the connection stays open', async () => {
      const answer = await raw(Buffer.alloc(huge, 0x20));
      expectProblem(answer, 413, 'payload_too_large');
      expect(answer.body.limit).toBe(LIMIT);
      expect((await raw('{"input":"x"}')).status).toBe(202);
    });

    it('is rejected without a Content-Length', async () => {
      const stream = new ReadableStream({
        start(controller) {
          for (let sent = 0; sent < 3 * LIMIT; sent += 65_536) controller.enqueue(Buffer.alloc(65_536, 0x20));
          controller.close();
        },
      });
      expectProblem(await raw(stream as never), 413, 'payload_too_large');
    });

    it('ends for a client that never stops sending', async () => {
      const socket = connect(edge.port, '127.0.0.1');
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
      socket.on('error', () => {});
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer vb_admin\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 0x20), Buffer.from('\r\n')]);
      const pump = (): void => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', pump);
      pump();
      await new Promise((resolve) => socket.once('close', resolve));
      expect(received).toContain('413');
    });

    it('is not read for an unknown caller', async () => {
      const { status } = await raw(Buffer.alloc(huge, 0x20), { 'content-type': 'application/json', authorization: 'Bearer nobody' });
      expect(status).toBe(401);
    });
  });

  it('a body that ends early affects no other request', async () => {
    const socket = connect(edge.port, '127.0.0.1');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer vb_admin\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"input"`);
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.destroy();
    expect((await raw('{"input":"x"}')).status).toBe(202);
  });
});

const numbered = <Value>(count: number, value: () => Value): Record<string, Value> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index + 1}`, value()]));
