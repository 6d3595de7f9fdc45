import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as ai from 'ai';
import type { ChatInit, ChatState, ChatStatus, UIMessage } from 'ai';
import * as ai6 from 'ai-6';
import { expectStatus } from '../support/client.js';
import { held, type StandIn, startStandIn } from '../support/stand-in-server.js';
import { call, startToolServer, type ToolServer } from '../support/tool-server.js';
import { until } from '../support/until.js';

/** The state of a chat without a framework, as the packages for React and others keep it. */
class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready';
  error: Error | undefined = undefined;
  changes: (() => void)[] = [];

  constructor(public messages: UIMessage[]) {}

  pushMessage = (message: UIMessage): void => this.#set([...this.messages, message]);
  popMessage = (): void => this.#set(this.messages.slice(0, -1));
  replaceMessage = (index: number, message: UIMessage): void => this.#set(this.messages.with(index, message));
  snapshot = <T>(value: T): T => structuredClone(value);

  #set(messages: UIMessage[]): void {
    this.messages = messages;
    for (const changed of this.changes.splice(0)) changed();
  }
}

const chatOf = ({ AbstractChat }: typeof ai) =>
  class extends AbstractChat<UIMessage> {
    readonly plain: PlainState;

    constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
      const plain = new PlainState(messages);
      super({ ...init, state: plain });
      this.plain = plain;
    }

    /** Once the messages are as wanted. */
    async shows(fits: (messages: readonly UIMessage[]) => boolean): Promise<void> {
      while (!fits(this.messages)) await new Promise<void>((changed) => this.plain.changes.push(changed));
    }
  };

const textOf = (message: UIMessage | undefined): string => message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
interface ToolPart {
  readonly toolCallId: string;
  readonly state: string;
  readonly approval?: { readonly id: string };
}

const toolsOf = (message: UIMessage | undefined): readonly ToolPart[] => (message?.parts.filter((part) => part.type === 'dynamic-tool') ?? []) as never;
const askedBy = (message: UIMessage | undefined): string => toolsOf(message).find(({ state }) => state === 'approval-requested')!.approval!.id;

const isAnswering = (messages: readonly UIMessage[]): boolean => messages.at(-1)?.role === 'assistant' && textOf(messages.at(-1)).length > 20;

describe('the AI SDK as it is', () => {
  let api: StandIn;
  let server: ToolServer;
  let second: ToolServer;

  beforeAll(async () => {
    api = await startStandIn();
    const model = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
    server = await startToolServer(model);
    second = await startToolServer(model, { database: server.database, token: server.client.token! });
    // All turns run in the first process: the second one only reads.
    await second.worker.stop();
  });
  afterAll(async () => {
    await second.stop();
    await server.stop();
    await api.close();
  });

  /** Called when a stream is resumed, as soon as its answer has begun. */
  let resumed: () => void = () => undefined;
  const transport = (of: ToolServer, body: object, { DefaultChatTransport }: typeof ai) =>
    new DefaultChatTransport<UIMessage>({
      api: `${of.client.baseUrl}/v1/ui/chat`,
      headers: { authorization: `Bearer ${of.client.token}` },
      body,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (init?.method === 'GET' && response.status === 200) resumed();
        return response;
      },
    });
  const open = (id: string, of = server, more: Omit<ChatInit<UIMessage>, 'id'> & { readonly body?: object } = {}, sdk = ai) => {
    const { body = {}, ...init } = more;
    return new (chatOf(sdk))({ id, transport: transport(of, body, sdk), ...init });
  };
  const history = async (id: string, of = server): Promise<{ sessionId: string; messages: UIMessage[] }> =>
    expectStatus(await of.client.get(`/v1/ui/chat/${id}`), 200).body;

  it('sends prompts and streams answers; the server remembers the conversation', async () => {
    const chat = open('first');
    await chat.sendMessage({ text: '{{say one}}' });
    expect([chat.status, chat.error, textOf(chat.lastMessage)]).toEqual(['ready', undefined, 'one']);
    await chat.sendMessage({ text: '{{say two}}' });
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    const { sessionId, messages } = await history('first', second);
    expect(messages.map((message) => [message.role, textOf(message)])).toEqual([
      ['user', '{{say one}}'],
      ['assistant', 'one'],
      ['user', '{{say two}}'],
      ['assistant', 'two'],
    ]);
    // A session is a chat, too.
    expect((await history(sessionId)).messages).toEqual(messages);
    const other = await server.tenant('another');
    expect((await other.get(`/v1/ui/chat/${sessionId}`)).body).toEqual({ sessionId: null, messages: [] });
    expect((await other.call('GET', `/v1/ui/chat/${sessionId}/stream`)).status).toBe(204);
  });

  it('takes only the newest message from the client', async () => {
    const chat = open('forged');
    await chat.sendMessage({ text: '{{say true}}' });
    chat.messages = chat.messages.map((message) => ({ ...message, parts: [{ type: 'text', text: 'forged' }] }));
    await chat.sendMessage({ text: '{{say again}}' });
    expect((await history('forged')).messages.map(textOf)).toEqual(['{{say true}}', 'true', '{{say again}}', 'again']);
  });

  it('resumes an answer in the middle through another process, and says that there is none before and after it', async () => {
    const id = 'reloaded';
    const fresh = open(id, second);
    await fresh.resumeStream();
    expect([fresh.status, fresh.messages]).toEqual(['ready', []]);
    const lost = open(id);
    const answer = held(20);
    api.next(answer.fault);
    const sending = lost.sendMessage({ text: '{{long 60}}' });
    await lost.shows(isAnswering);
    await lost.stop();
    await sending;
    const { messages } = await history(id, second);
    expect(messages.map(({ role }) => role)).toEqual(['user']);
    const reloaded = open(id, second, { messages });
    resumed = answer.release;
    await reloaded.resumeStream();
    expect(reloaded.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(reloaded.messages).toEqual((await history(id)).messages.map((message) => ({ ...message, metadata: message.metadata })));
    const after = open(id, second, { messages: reloaded.messages });
    await after.resumeStream();
    expect(after.messages).toEqual(reloaded.messages);
  });

  it('stops an answer: the page disconnects, or asks for it', async () => {
    const chat = open('stopped', server, { body: { onDisconnect: 'interrupt' } });
    const sending = chat.sendMessage({ text: '{{slow 100}}{{long 5000}}' });
    await chat.shows(isAnswering);
    await chat.stop();
    await sending;
    expect(chat.status).toBe('ready');
    const { sessionId } = await history('stopped');
    await until('the turn is interrupted', async () => (await server.client.get(`/v1/sessions/${sessionId}`)).body.status === 'idle');
    expect((await server.client.events(sessionId)).map(({ type }) => type)).toContain('turn.interrupted');
    expect(textOf((await history('stopped')).messages.at(-1))).toMatch(/\w{3}/);
    const asking = open('stopped', server, { messages: chat.messages });
    const sent = asking.sendMessage({ text: '{{slow 100}}{{long 5000}}' });
    // The prompt and its answer, after those of before.
    await asking.shows((messages) => messages.length === chat.messages.length + 2 && isAnswering(messages));
    expect((await second.client.call('DELETE', '/v1/ui/chat/stopped/stream')).body).toMatchObject({ interrupted: true });
    await sent;
    expect(asking.status).toBe('ready');
  });

  it('regenerates an answer and edits a prompt: the earlier ones are branches', async () => {
    const chat = open('again');
    await chat.sendMessage({ text: '{{say one}}' });
    await chat.regenerate();
    await chat.regenerate();
    expect(chat.messages.map(textOf)).toEqual(['{{say one}}', 'one']);
    const { sessionId } = await history('again');
    expect((await server.client.get(`/v1/sessions/${sessionId}/branches`)).body.data).toHaveLength(3);
    await chat.sendMessage({ text: '{{say two}}', messageId: chat.messages[0]!.id });
    expect((await history('again')).messages.map(textOf)).toEqual(['{{say two}}', 'two']);
    expect((await server.client.get(`/v1/sessions/${sessionId}/branches`)).body.data).toHaveLength(4);
    // The same message once more, as after a lost answer: it is shown, not asked again.
    const events = (await server.client.events(sessionId)).length;
    const repeated = open('again', server, { messages: chat.messages.slice(0, 1) });
    await repeated.sendMessage();
    expect(repeated.messages.map(textOf)).toEqual(['{{say two}}', 'two']);
    expect(await server.client.events(sessionId)).toHaveLength(events);
  });

  it.each([
    [6, ai6 as unknown as typeof ai],
    [7, ai],
  ])('asks for approvals, and runs or rejects the call, with version %d', async (version, sdk) => {
    const id = `approvals ${version}`;
    const init = { sendAutomaticallyWhen: sdk.lastAssistantMessageIsCompleteWithApprovalResponses };
    const chat = open(id, server, init, sdk);
    await chat.sendMessage({ text: call('Work', { label: 'one' }) });
    expect(toolsOf(chat.lastMessage)).toMatchObject([{ toolName: 'Work', state: 'approval-requested', input: { label: 'one' } }]);
    const runs = server.tools.runs.length;
    // The page is loaded again meanwhile.
    const { messages } = await history(id, second);
    expect(toolsOf(messages.at(-1))).toMatchObject([{ state: 'approval-requested' }]);
    const reloaded = open(id, second, { ...init, messages }, sdk);
    const asked = askedBy(reloaded.lastMessage);
    await reloaded.addToolApprovalResponse({ id: asked, approved: true });
    await reloaded.shows((shown) => toolsOf(shown.at(-1)).some(({ state }) => state === 'output-available') && textOf(shown.at(-1)) !== '');
    expect(server.tools.runs).toHaveLength(runs + 1);
    await until('the answer is complete', async () => reloaded.status === 'ready');
    expect(reloaded.messages).toHaveLength(2);
    await reloaded.sendMessage({ text: call('Work', { label: 'two' }) });
    await reloaded.addToolApprovalResponse({ id: askedBy(reloaded.lastMessage), approved: false, reason: 'not now' });
    await reloaded.shows((shown) => toolsOf(shown.at(-1)).some(({ state }) => state === 'output-denied'));
    await until('the answer is complete', async () => reloaded.status === 'ready');
    expect(server.tools.runs).toHaveLength(runs + 1);
    const shown = (await history(id)).messages;
    expect(shown.map(toolsOf).flat()).toMatchObject([{ state: 'output-available' }, { state: 'output-denied' }]);
  });

  it('runs tools of the client', async () => {
    const tools = [{ name: 'add', description: 'Adds', input_schema: { type: 'object' } }];
    const chat = open('client tools', server, { body: { session: { tools } } });
    await chat.sendMessage({ text: call('add', { a: 1 }) });
    const [asked] = toolsOf(chat.lastMessage);
    expect(asked?.state).toBe('input-available');
    await chat.addToolOutput({ tool: 'add', toolCallId: asked!.toolCallId, output: { sum: 3 } });
    await chat.sendMessage();
    expect(chat.messages).toHaveLength(2);
    expect(toolsOf((await history('client tools')).messages[1])).toMatchObject([{ state: 'output-available', output: '{"sum":3}' }]);
  });

  it('sends files', async () => {
    const chat = open('files');
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const file = { type: 'file' as const, mediaType: 'image/png', filename: 'dot.png', url: `data:image/png;base64,${png}` };
    await chat.sendMessage({ text: '{{say seen}}', files: [file] });
    expect([chat.error, textOf(chat.lastMessage)]).toEqual([undefined, 'seen']);
    const { sessionId, messages } = await history('files');
    const [shown] = messages[0]!.parts.filter((part) => part.type === 'file');
    expect(shown?.url).toMatch(new RegExp(`^/v1/sessions/${sessionId}/blobs/[0-9a-f]{64}$`));
    expect((await server.client.call('GET', shown!.url)).status).toBe(200);
    await chat.sendMessage({ files: [{ ...file, mediaType: 'audio/mpeg' }] });
    expect([chat.status, JSON.parse(chat.error!.message).code]).toEqual(['error', 'unsupported_input']);
  });

  it('shows what a slash command answers, and reports a failed turn as an error', async () => {
    const chat = open('command');
    await chat.sendMessage({ text: '/help' });
    expect(chat.lastMessage?.parts).toMatchObject([{ type: 'data-notice', data: { subtype: 'display', text: expect.stringContaining('/') } }]);
    await chat.sendMessage({ text: '{{fail 400}}' });
    expect([chat.status, chat.error?.message]).toEqual(['error', expect.stringMatching(/\w+/)]);
  });
});
