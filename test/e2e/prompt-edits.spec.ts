import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client as ApiClient, Conversation, createClient, type Prompt } from '@verbatim/client';
import sharp from 'sharp';
import { type Client, expectStatus } from '../support/client.js';
import { SHELL, itWith } from '../support/needs.js';
import { startTestServer, type TestServer } from '../support/server.js';

describe('a prompt that is read to be edited', () => {
  let server: TestServer;
  let client: Client;
  let api: ApiClient;
  let png: string;

  beforeAll(async () => {
    server = await startTestServer({ TOOLS: 'Bash' });
    client = server.client;
    api = createClient({ baseUrl: client.baseUrl, token: client.token! });
    const image = sharp({ create: { width: 8, height: 6, channels: 3, background: '#336' } });
    png = (await image.png().toBuffer()).toString('base64');
  });
  afterAll(() => server.stop());

  const submit = async (id: string, body: Prompt): Promise<string> => {
    const { turnId, promptId } = await api.submitPrompt({ id, body });
    await client.settled(id, turnId!);
    return promptId;
  };
  const submitted = async (id: string) => (await client.events(id)).filter(({ type }) => type === 'prompt.submitted').map(({ data }) => data.submission);
  const shown = async (id: string, text: string): Promise<string> => (await client.messages(id)).find((message) => JSON.stringify(message).includes(text)).uuid;

  const picture = () => ({ type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data: png } });
  const PROMPTS: Readonly<Record<string, () => Prompt>> = {
    text: () => ({ input: '  marker with spaces \n' }),
    'a picture and a document': () => ({
      input: [
        picture(),
        { type: 'document', title: 'Notes', source: { type: 'text', media_type: 'text/plain', data: 'a note' } },
        { type: 'text', text: 'marker' },
      ],
    }),
    pastes: () => ({
      input: 'marker [Pasted text #1] and [Image #2]',
      pastedContents: {
        '1': { type: 'text', content: 'long\n'.repeat(500) },
        '2': { type: 'image', content: png, mediaType: 'image/png', filename: 'one.png' },
      },
    }),
    'attachments and options': () => ({
      input: '/marker is no command',
      skipSlashCommands: true,
      timeZone: 'Europe/Berlin',
      modelOptions: { stop_sequences: ['END'] },
      attachments: [{ type: 'selected_lines_in_ide', filename: '/a.ts', lineStart: 1, lineEnd: 2, content: 'let x;' } as never],
    }),
  };

  it.each(Object.entries(PROMPTS))('is the same submission when it is sent unchanged: %s', async (_, prompt) => {
    const id = await client.session();
    await submit(id, prompt());
    const chat = new Conversation(api, id);
    const uuid = await shown(id, 'marker');
    const edited = await chat.edit(uuid);
    await chat.send(edited, { replaces: uuid });
    const [first, second] = await submitted(id);
    const { promptId: _a, turnId: _b, uuid: _c, traceparent: _d, ...same } = first;
    expect(second).toMatchObject(same);
    expect(Object.keys(second).sort()).toEqual(Object.keys(first).sort());
  });

  itWith(SHELL)('is a command of the shell again when it was one', async () => {
    const id = await client.session();
    await submit(id, { input: 'echo marker', mode: 'bash' });
    const uuid = await shown(id, '<bash-input>');
    const chat = new Conversation(api, id);
    await chat.send('echo another', { replaces: uuid });
    expect((await submitted(id)).map(({ mode, original }) => [mode, original])).toEqual([
      ['bash', 'echo marker'],
      ['bash', 'echo another'],
    ]);
  });

  it('keeps all but its text when another text is sent in its place', async () => {
    const id = await client.session();
    await submit(id, PROMPTS['pastes']!());
    const chat = new Conversation(api, id);
    await chat.send('Only these words', { replaces: await shown(id, 'marker') });
    const [first, second] = await submitted(id);
    expect(second.original).toBe('Only these words\n[Pasted text #1]\n[Image #2]');
    expect(second.pastedContents).toEqual(first.pastedContents);
  });

  it('can be one that waits in the queue, or was withdrawn from it', async () => {
    const id = await client.session();
    const { turnId } = await api.submitPrompt({ id, body: { input: '{{slow 50}}{{long 5000}}' } });
    const { promptId } = await api.submitPrompt({ id, body: { input: 'waits [Pasted text #3]', pastedContents: { '3': { type: 'text', content: 'x' } } } });
    const waiting = { input: 'waits [Pasted text #3]', mode: 'prompt', pastedContents: { '3': { type: 'text', content: 'x' } } };
    expect((await api.getPrompt({ id, promptId })).prompt).toEqual(waiting);
    await api.withdrawPrompt({ id, promptId });
    expect((await api.getPrompt({ id, promptId })).prompt).toEqual(waiting);
    await api.interruptTurn({ id });
    await client.settled(id, turnId!);
  });

  it('is not found where there is none: an answer, an erased prompt, a compaction, another session', async () => {
    const id = await client.session();
    const promptId = await submit(id, { input: 'marker' });
    const uuid = await shown(id, 'marker');
    const answer = (await client.messages(id)).find(({ type }) => type === 'assistant').uuid;
    const other = await client.session();
    for (const [session, prompt] of [
      [id, answer],
      [id, randomUUID()],
      [other, uuid],
      [other, promptId],
    ] as const) {
      expect((await client.get(`/v1/sessions/${session}/prompts/${prompt}`)).body.code).toBe('prompt_not_found');
    }
    for (const word of ['two', 'three', 'four']) await submit(id, { input: word });
    const { turnId } = expectStatus(await client.post(`/v1/sessions/${id}/compactions`, {}), 202).body;
    await client.settled(id, turnId);
    const compaction = (await submitted(id)).at(-1);
    expect(compaction.mode).toBe('compact');
    expect((await client.get(`/v1/sessions/${id}/prompts/${compaction.promptId}`)).body.code).toBe('prompt_not_found');
    await api.eraseMessage({ id, uuid, body: {} } as never);
    for (const prompt of [uuid, promptId]) {
      const { body } = await client.get(`/v1/sessions/${id}/prompts/${prompt}`);
      expect(body).toMatchObject({ code: 'prompt_not_found', detail: expect.stringContaining('erased') });
    }
  });
});
