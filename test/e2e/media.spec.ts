import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import pg from 'pg';
import sharp from 'sharp';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { freshDatabase } from '../support/database.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { pdfFile } from '../support/api-rules/pdf-file.js';

const noise = (width: number, height: number, format: 'jpeg' | 'png' = 'png'): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 40 } } })
    .toFormat(format)
    .toBuffer();
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const image = (bytes: Buffer, mediaType = 'image/png'): object => ({
  type: 'image',
  source: { type: 'base64', media_type: mediaType, data: bytes.toString('base64') },
});
const pdf = (content: string, more: object = {}): object => ({
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from(content, 'latin1').toString('base64') },
  ...more,
});
const pasted = (bytes: Buffer, more: object = {}): object => ({ type: 'image', content: bytes.toString('base64'), ...more });
const text = (value: string): object => ({ type: 'text', text: value });

describe('images and documents', () => {
  let server: TestServer;
  let client: Client;
  let id: string;
  let large: Buffer;
  let small: Buffer;
  let broken: Buffer;

  beforeAll(async () => {
    server = await startTestServer({ MAX_IMAGE_BYTES: '3000000', MAX_IMAGE_PIXELS: '9000000', MAX_IMAGES_PER_PROMPT: '30', IMAGE_TIMEOUT_MS: '30000' });
    client = server.client;
    [large, small] = await Promise.all([noise(2_400, 1_200, 'jpeg'), noise(60, 40)]);
    broken = large.subarray(0, Math.floor(large.length / 2));
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    id = await client.session({ model: 'claude-haiku-4-5' });
  });

  const bytes = async (of: Client, session: string, name: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${of.baseUrl}/v1/sessions/${session}/blobs/${name}`, { headers: { authorization: `Bearer ${of.token}`, ...headers } });
    return { status: response.status, headers: response.headers, content: Buffer.from(await response.arrayBuffer()) };
  };
  const requests = async (): Promise<readonly UnknownObject[]> => {
    const { data } = (await client.get(`/v1/sessions/${id}/requests`)).body;
    return Promise.all(data.map(async ({ requestId }: UnknownObject) => (await client.get(`/v1/sessions/${id}/requests/${requestId}`)).body));
  };
  const mediaIn = (payload: UnknownObject): readonly UnknownObject[] =>
    payload.messages.flatMap(({ content }: UnknownObject) => content.filter((block: UnknownObject) => block.type === 'image' || block.type === 'document'));

  it('keep their place between the texts of an array input, in the transcript and in the request', async () => {
    const input = [text('before'), image(small), text('between [Image #1]'), image(large, 'image/jpeg'), text('after')];
    await client.ask(id, input, { pastedContents: { '1': pasted(small) } });
    const kinds = ['text', 'image', 'text', 'image', 'text', 'image'];
    const [prompt] = await client.messages(id, 'view=transcript');
    expect(prompt.content.map(({ type }: UnknownObject) => type)).toEqual(kinds);
    expect(prompt.content[1].source.sha256).toBe(sha256(small));
    expect(prompt.content[3].source.width).toBe(1_568);
    const [request] = await requests();
    const sent = request.payload.messages[0].content.map(({ type }: UnknownObject) => type);
    expect(sent.slice(0, kinds.length)).toEqual(kinds);
    const parts = await client.messages(id, 'view=transcript&split=blocks');
    expect(parts.slice(0, kinds.length).map(({ imagePasteIds }) => imagePasteIds)).toEqual([undefined, undefined, undefined, undefined, undefined, [1]]);
  });

  it('reach the model as they fit, and stay in the log as names', async () => {
    const turn = await client.ask(
      id,
      [text('compare [Image #1], [Image #2] and [Image #9]: [Pasted text #3]'), image(large, 'image/gif'), pdf(pdfFile({ pages: 2 }), { title: 'A plan' })],
      {
        pastedContents: {
          '1': pasted(small, { filename: 'small.png' }),
          '2': pasted(large, { sourcePath: '/tmp/large.jpg' }),
          '3': { type: 'text', content: 'closely' },
          '4': pasted(broken),
        },
      },
    );
    expect(turn).toMatchObject({ status: 'completed', error: null });
    expect(turn.checkpoints.map(({ label }: UnknownObject) => label)).toEqual(
      expect.arrayContaining([
        'query_image_processing_start',
        'query_image_processing_end',
        'query_pasted_image_processing_start',
        'query_pasted_image_processing_end',
      ]),
    );

    const [prompt, note] = await client.messages(id);
    const fitted = { type: 'image', source: { type: 'blob', media_type: 'image/jpeg', width: 1_568, height: 784 } };
    expect(prompt).toMatchObject({
      imagePasteIds: [1, 2],
      content: [
        text('compare [Image #1], [Image #2] and [Image #9]: closely'),
        fitted,
        { type: 'document', title: 'A plan', source: { type: 'blob', media_type: 'application/pdf', pages: 2 } },
        { type: 'image', source: { type: 'blob', media_type: 'image/png', width: 60, height: 40, sha256: sha256(small), bytes: small.length } },
        fitted,
      ],
    });
    expect(note.isMeta).toBe(true);
    expect(note.content.map((block: UnknownObject) => block.text.split('\n')[1])).toEqual([
      expect.stringMatching(/^image 1 of the prompt: .*2400x1200 .* 1568x784; .* x by 1\.531 and y by 1\.531/),
      '[Image #1] (small.png): 60x40 pixels, shown at full size.',
      expect.stringMatching(/^\[Image #2\] \(\/tmp\/large\.jpg\): .*2400x1200/),
    ]);

    const log = JSON.stringify(await client.events(id));
    for (const one of [large, small]) expect(log).not.toContain(one.toString('base64').slice(0, 200));
    expect(log).toContain('compare [Image #1], [Image #2] and [Image #9]: [Pasted text #3]');
    const [submitted] = (await client.events(id)).filter(({ type }) => type === 'prompt.submitted');
    expect(submitted.data.submission).toMatchObject({
      original: [
        { type: 'text' },
        { type: 'image', source: { sha256: sha256(large), media_type: 'image/jpeg', width: 2_400, height: 1_200 } },
        { type: 'document' },
      ],
      pastedContents: { '1': { filename: 'small.png', source: { sha256: sha256(small) } }, '2': { source: { sha256: sha256(large) } } },
    });
    expect(submitted.data.submission.pastedContents).not.toHaveProperty('4');

    await client.ask(id, 'and now?');
    const [first, second] = await requests();
    for (const request of [first, second]) {
      expect(request).toMatchObject({ verified: true, status: 'completed' });
      expect(mediaIn(request.payload).map(({ source }) => [source.type, source.media_type])).toEqual([
        ['base64', 'image/jpeg'],
        ['base64', 'application/pdf'],
        ['base64', 'image/png'],
        ['base64', 'image/jpeg'],
      ]);
      expect(JSON.stringify(request.original)).toContain('"blob"');
      expect(JSON.stringify(request.original)).not.toContain('"base64"');
    }
    expect(second.prefix.cause).toBeUndefined();
    const { body: payload } = await client.get(`/v1/sessions/${id}/payload`);
    expect(payload).toMatchObject({ problems: [], breaks: [] });
    expect(payload.digest).toBe(createHash('sha256').update(JSON.stringify(payload.payload)).digest('hex'));
    expect(Buffer.from(mediaIn(payload.payload)[2].source.data, 'base64').equals(small)).toBe(true);
    expect((await client.get(`/v1/sessions/${id}/audit`)).body.valid).toBe(true);
  });

  it('are stored once per tenant', async () => {
    const own = await noise(30, 30);
    await client.ask(id, [image(own), image(own)]);
    await client.ask(await client.session(), '[Image #1]', { pastedContents: { '1': pasted(own) } });
    const owner = new pg.Client(server.database.ownerUrl);
    await owner.connect();
    const { rowCount } = await owner.query('SELECT FROM blob WHERE sha256 = $1', [Buffer.from(sha256(own), 'hex')]);
    await owner.end();
    expect(rowCount).toBe(1);
  });

  it('that turn out to be broken fail their prompt, which stays readable; the next one works', async () => {
    const { body } = await client.prompt(id, [text('what is in [Image #1], [Image #2] and [Image #3]? [Pasted text #4] [Pasted text #5]')], {
      pastedContents: {
        '1': pasted(small),
        '2': pasted(broken, { filename: 'half.jpg' }),
        '3': pasted(large),
        '4': { type: 'text', content: 'one' },
        '5': { type: 'text', content: 'two' },
      },
    });
    const turn = await client.settled(id, body.turnId);
    expect(turn).toMatchObject({
      status: 'failed',
      requests: [],
      error: { code: 'image_rejected', message: expect.stringMatching(/\[Image #2\] \(half\.jpg\) cannot be decoded/) },
    });
    expect(turn.error.message).not.toContain('Image #1');
    const shown = await client.messages(id, 'view=transcript');
    expect(shown).toMatchObject([
      {
        type: 'user',
        isVirtual: true,
        content: [text('what is in [Image #1], [Image #2] and [Image #3]? one two'), { type: 'image' }, { type: 'image' }, { type: 'image' }],
      },
      { type: 'system', subtype: 'image_rejected', level: 'error', content: turn.error.message },
    ]);
    expect((await bytes(client, id, sha256(broken))).content.equals(broken)).toBe(true);

    expect((await client.ask(id, 'never mind')).status).toBe('completed');
    const [request] = await requests();
    expect(request.verified).toBe(true);
    expect(JSON.stringify(request.payload)).not.toContain('what is in');
    const { body: rewound } = await client.post(`/v1/sessions/${id}/rewinds`, { before: shown[0].uuid });
    expect(rewound.prompt.input[0].text).toContain('[Image #2]');
  });

  it('wait in the queue as names, like any other prompt', async () => {
    const running = (await client.prompt(id, '{{slow 100}}{{long 5000}}')).body;
    const waiting = (await client.prompt(id, [text('look'), image(small)])).body;
    expect(waiting.disposition).toBe('queued');
    expect((await client.get(`/v1/sessions/${id}/queue`)).body.data[0].input[1].source).toMatchObject({ type: 'blob', sha256: sha256(small) });
    await client.asking(id, running.turnId);
    await client.post(`/v1/sessions/${id}/interrupt`);
    await client.settled(id, running.turnId);
    expect((await client.settled(id, waiting.turnId)).status).toBe('completed');
  });

  it('come back from a rewind by name, and can be sent again so', async () => {
    await client.ask(id, [text('first'), image(small)]);
    const [{ uuid }] = await client.messages(id);
    const { prompt } = (await client.post(`/v1/sessions/${id}/rewinds`, { before: uuid })).body;
    expect(prompt.input[1].source.type).toBe('blob');
    expect((await client.ask(id, prompt.input)).status).toBe('completed');
    const elsewhere = await client.post(`/v1/sessions/${await client.session()}/prompts`, prompt);
    expect([elsewhere.status, elsewhere.body.code, elsewhere.body.errors[0].pointer]).toEqual([422, 'image_rejected', '/input/1/source']);
  });

  it('are part of the submission that a rewind returns, which is sent again as it is', async () => {
    const input = [text('  see [Image #1], [Pasted text #2] and '), image(small)];
    const pastedContents = { '1': pasted(small, { filename: 'small.png', sourcePath: '/tmp/small.png' }), '2': { type: 'text', content: 'words' } };
    await client.ask(id, input, {
      pastedContents,
      attachments: [{ type: 'opened_file', filename: 'a.ts' }],
      skipSlashCommands: true,
      origin: { kind: 'test' },
    });
    const [first] = await client.messages(id);
    const { prompt } = (await client.post(`/v1/sessions/${id}/rewinds`, { before: first.uuid })).body;
    expect(prompt).toMatchObject({ mode: 'prompt', attachments: [{ type: 'opened_file' }], skipSlashCommands: true, origin: { kind: 'test' } });
    const { turnId } = expectStatus(await client.post(`/v1/sessions/${id}/prompts`, prompt), 202).body;
    await client.settled(id, turnId);
    const again = await client.messages(id);
    expect(again[0]).toEqual({ ...first, uuid: again[0].uuid, timestamp: again[0].timestamp });
    expect(again.map(({ attachment }) => attachment?.type)).toContain('opened_file');
    const log = await client.events(id);
    const submissions = log.filter(({ type }) => type === 'prompt.submitted').map(({ data }) => data.submission);
    expect(submissions[1]).toMatchObject({ original: submissions[0].original, pastedContents: submissions[0].pastedContents, value: submissions[0].value });
  });

  it('come along with a command, and count towards the window by what is seen of them', async () => {
    await client.ask(id, [text('look'), image(large)]);
    await client.ask(id, '/context');
    const told = (await client.messages(id)).findLast(({ subtype }) => subtype === 'local_command').content;
    expect(told).toContain(', 1 file, ');
    expect(Number(/about (\d+) tokens/.exec(told)?.[1])).toBeLessThan(4_000);
  });

  it('alone make a prompt', async () => {
    expect(await client.ask(id, [image(small)])).toMatchObject({ status: 'completed' });
    expect((await client.messages(id))[0].content).toHaveLength(1);
  });

  it('leave a repeat under the same key what it was', async () => {
    const send = () => client.post(`/v1/sessions/${id}/prompts`, { input: [image(small)] }, { 'idempotency-key': 'again' });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.body]).toEqual([202, first.body]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    await client.settled(id, first.body.turnId);
  });

  describe('that are of no use', () => {
    const cases = (): readonly (readonly [label: string, body: object, status: number, code: string, pointer: string])[] => [
      [
        'no base64',
        { input: [image(Buffer.alloc(0)), { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'data:image/png;base64,AAAA' } }] },
        422,
        'image_rejected',
        '/input/0/source/data',
      ],
      [
        'a drawing',
        { input: [image(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), 'image/svg+xml')] },
        422,
        'image_rejected',
        '/input/0/source/data',
      ],
      ['too many bytes', { input: [image(Buffer.concat([small, Buffer.alloc(3_000_000)]))] }, 422, 'image_rejected', '/input/0/source/data'],
      [
        'a pasted text as image',
        { input: 'see [Image #1]', pastedContents: { '1': pasted(Buffer.from('hello')) } },
        422,
        'image_rejected',
        '/pastedContents/1/content',
      ],
      ['too many', { input: Array.from({ length: 31 }, () => image(small)) }, 422, 'image_rejected', '/input/30/source/data'],
      ['a locked PDF', { input: [pdf(pdfFile({ encrypted: true }))] }, 422, 'document_rejected', '/input/0/source/data'],
      ['a page named PDF', { input: [pdf('<html></html>')] }, 422, 'document_rejected', '/input/0/source/data'],
      ['bytes of somebody else', { input: [{ type: 'image', source: { type: 'blob', sha256: 'a'.repeat(64) } }] }, 422, 'image_rejected', '/input/0/source'],
      ['another kind of block', { input: [{ type: 'tool_result', tool_use_id: 'a' }] }, 422, 'unsupported_input', '/input/0'],
      [
        'an attachment that names bytes',
        { input: 'x', attachments: [{ type: 'queued_command', prompt: [{ type: 'image', source: { type: 'blob', sha256: 'a' } }] }] },
        422,
        'image_rejected',
        '/attachments/0',
      ],
    ];

    it('are rejected at once, with the place, and nothing is stored', async () => {
      for (const [label, body, status, code, pointer] of cases()) {
        const answer = await client.post(`/v1/sessions/${id}/prompts`, body);
        expect([label, answer.status, answer.body.code, answer.body.errors?.[0]?.pointer]).toEqual([label, status, code, pointer]);
      }
      expect((await client.events(id)).map(({ type }) => type)).toEqual(['session.created']);
      expect((await bytes(client, id, sha256(small))).status).toBe(404);
    });

    it('are all named', async () => {
      const { body } = await client.prompt(id, [image(Buffer.from('a')), image(small), image(Buffer.from('b'))]);
      expect(body.errors.map(({ pointer }: UnknownObject) => pointer)).toEqual(['/input/0/source/data', '/input/2/source/data']);
    });

    it('are found out by decoding: a small file of very many pixels', async () => {
      const header = await sharp({ create: { width: 2_900, height: 2_900, channels: 3, background: '#000000' } })
        .png({ compressionLevel: 9 })
        .toBuffer();
      const lying = Buffer.from(header);
      lying.writeUInt32BE(9, 16); // says that it is narrow
      expect((await client.ask(id, [image(lying)])).error.code).toBe('image_rejected');
      expect((await client.ask(id, [image(header)])).status).toBe('completed');
    });

    it('are documents past what the model reads', async () => {
      const turn = await client.ask(id, [text('sum up'), pdf(pdfFile({ pages: 101 }), { title: 'War and Peace' })]);
      expect(turn).toMatchObject({
        status: 'failed',
        error: { code: 'document_rejected', message: expect.stringMatching(/War and Peace\) brings the prompt to 101 pages/) },
      });
    });

    it('do not come in by way of tool results, dry runs or files', async () => {
      const block = { type: 'image', source: { type: 'blob', media_type: 'image/png', sha256: sha256(small), bytes: 1 } };
      expect((await client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId: 'a', content: [block] }] })).body.code).toBe('invalid_input');
      expect((await client.post('/v1/normalize', { messages: [{ role: 'user', content: [block] }] })).body.errors[0].pointer).toBe('/messages/0');
      const line = JSON.stringify({ type: 'user', uuid: '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e', parentUuid: null, content: [block] });
      const imported = await client.call('POST', '/v1/imports', `{"type":"session","format":"verbatim/1"}\n${line}\n`, {
        'content-type': 'application/x-ndjson',
      });
      expect(imported.body).toMatchObject({ imported: 0, skipped: [{ line: 2, reason: expect.stringContaining('by its hash') }] });
    });
  });

  it('are read by hash, by those who may', async () => {
    await client.ask(id, [image(small), pdf(pdfFile())]);
    const shown = await bytes(client, id, sha256(small).toUpperCase());
    expect(shown.content.equals(small)).toBe(true);
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(small.length),
      etag: `"${sha256(small)}"`,
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline',
    });
    expect(await bytes(client, id, sha256(small), { 'if-none-match': `"${sha256(small)}"` })).toMatchObject({ status: 304, content: Buffer.alloc(0) });
    const saved = await bytes(client, id, sha256(Buffer.from(pdfFile(), 'latin1')));
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment; filename="[0-9a-f]{64}\.pdf"$/);

    const other = await client.session();
    const member = client.as((await client.post('/v1/tokens', { userName: 'member' })).body.token);
    const outsider = await server.tenant('another tenant');
    const code = async (of: Client, session: string, name: string) => (await of.get(`/v1/sessions/${session}/blobs/${name}`)).body.code;
    expect(await code(client, other, sha256(small))).toBe('blob_not_found');
    expect(await code(client, id, 'none')).toBe('blob_not_found');
    for (const foreign of [member, outsider]) expect(await code(foreign, id, sha256(small))).toBe('session_not_found');
  });

  it('go along in a file that stands for itself', async () => {
    await client.ask(id, [text('look'), image(large), pdf(pdfFile({ pages: 2 }))]);
    await client.ask(id, [text('broken'), image(broken)]);
    const { body: file } = await client.get<string>(`/v1/sessions/${id}/export`);
    expect(file).not.toContain('"blob"');
    const { body: imported } = await client.call('POST', '/v1/imports', file, { 'content-type': 'application/x-ndjson' });
    expect(imported).toMatchObject({ skipped: [], source: 'verbatim' });
    const payload = async (session: string) => (await client.get(`/v1/sessions/${session}/payload`)).body.payload.messages;
    expect(await payload(imported.id)).toEqual(await payload(id));
    expect((await client.ask(imported.id, 'still there?')).status).toBe('completed');
    expect(JSON.stringify(await client.events(imported.id))).not.toContain('"base64"');
  });
});

it('images that are lost fail what needs them, and nothing is sent in their place', async () => {
  const database = await freshDatabase();
  const first = await startTestServer({}, database);
  const { token } = first.client;
  const id = await first.client.session();
  await first.client.ask(id, [text('look'), image(await noise(32, 32))]);
  await first.stop();
  const owner = new pg.Client(database.ownerUrl);
  await owner.connect();
  await owner.query('DELETE FROM blob_use');
  await owner.end();
  const { client, stop } = await startTestServer({}, database, token); // with nothing at hand
  expect((await client.get(`/v1/sessions/${id}/payload`)).status).toBe(500);
  expect(await client.ask(id, 'and now?')).toMatchObject({ status: 'failed', requests: [], error: { code: 'blob_missing' } });
  await stop();
  await database.drop();
});
