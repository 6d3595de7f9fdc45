import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, Conversation } from '@verbatim/client';
import { call, startToolServer, type ToolServer } from '../support/tool-server.js';
import { until as eventually } from '../support/until.js';

describe('a conversation of the client', () => {
  let server: ToolServer;
  let client: Client;
  const open = new Set<Conversation>();
  let wake: () => void = () => {};

  beforeAll(async () => {
    server = await startToolServer();
    client = server.client.api;
  });
  afterEach(() => {
    for (const chat of open) chat.close();
    open.clear();
  });
  afterAll(() => server.stop());

  const follow = async (id?: string): Promise<Conversation> => {
    const chat = new Conversation(client, id ?? (await client.createSession()).id, () => wake());
    open.add(chat);
    void chat.follow();
    return chat;
  };
  /** Resolves when it is so, after a change. */
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise<void>((resolve) => (wake = resolve));
  };
  const types = (chat: Conversation) => chat.messages.map(({ type }) => type);
  const isIdle = (chat: Conversation) => chat.session?.status === 'idle' && chat.draft === null;

  it('has the draft of an answer while it streams, and its message afterwards', async () => {
    const chat = await follow();
    await until(() => chat.isLive);
    await chat.send('{{slow 5}}{{long 100}}');
    await until(() => (chat.draft?.blocks[0]?.type === 'text' ? chat.draft.blocks[0].text.length : 0) > 20);
    const draft = chat.draft!.blocks[0];
    await until(() => types(chat).length === 2 && isIdle(chat));
    const [, answer] = chat.messages;
    const block = answer?.type === 'assistant' ? answer.message.content[0] : undefined;
    expect(block?.type === 'text' && draft?.type === 'text' && block.text.startsWith(draft.text)).toBe(true);
    expect(chat.turn).toBeNull();
  });

  it('is the same for every reader after rewinds and restores by any of them', async () => {
    const chat = await follow();
    for (const [index, text] of ['one', 'two', 'three'].entries()) {
      await chat.send(text);
      await until(() => types(chat).length === 2 * (index + 1) && isIdle(chat));
    }
    const before = chat.messages;
    const other = await follow(chat.id);
    await until(() => types(other).length === 6);
    expect(other.messages).toEqual(before);

    const rewind = await client.rewindSession({ id: chat.id, body: { before: before[2]!.uuid } });
    await until(() => types(chat).length === 2 && types(other).length === 2);
    await other.send('another second');
    await until(() => types(chat).length === 4 && isIdle(chat));
    await client.restoreRewind({ id: chat.id, rewindId: rewind.id });
    await until(() => types(chat).length === 6 && types(other).length === 6);
    expect(chat.messages).toEqual(before);
    expect(other.messages).toEqual(before);
  });

  it('lists the calls that wait for a decision, and the prompts that wait for the turn', async () => {
    const chat = await follow();
    await chat.send(call('Work', { label: 'one' }));
    await until(() => chat.approvals.length === 1);
    await chat.send('next');
    await until(() => chat.queue.length === 1);
    expect(chat.approvals[0]).toMatchObject({ name: 'Work', input: { label: 'one' } });
    await chat.decide(chat.approvals[0]!, 'allow');
    await until(() => chat.approvals.length === 0 && chat.queue.length === 0 && isIdle(chat));
    expect(types(chat)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
  });

  it('shows a session as idle only together with the last message of its turn', async () => {
    const { id } = await client.createSession();
    const isDone = async () => (await client.getSession({ id })).version > 5 && (await client.getSession({ id })).status === 'idle';
    // Each reading of the state is answered after the turn has ended: it is newer than the messages that were read before it.
    const late: Client = Object.create(client, {
      getSession: {
        value: async (...parameters: Parameters<Client['getSession']>) => {
          if (sent) await eventually('the turn has ended', isDone);
          return client.getSession(...parameters);
        },
      },
    });
    let sent = false;
    const pictures: { readonly head: string | null; readonly last: string | null }[] = [];
    const chat: Conversation = new Conversation(late, id, () => {
      if (chat.session?.status === 'idle') pictures.push({ head: chat.session.head, last: chat.messages.at(-1)?.uuid ?? null });
      wake();
    });
    open.add(chat);
    void chat.follow();
    await until(() => chat.isLive && chat.session !== null);
    sent = true;
    await chat.send('{{slow 5}}{{long 50}}');
    await until(() => types(chat).length === 2 && isIdle(chat));
    expect(pictures.length).toBeGreaterThan(1);
    for (const { head, last } of pictures) expect(last).toBe(head);
  });

  /** Resolves when nothing runs and `chat` has received every event. */
  const inStep = async (chat: Conversation): Promise<void> => {
    let version = -1;
    await eventually('the session is idle', async () => {
      const session = await client.getSession({ id: chat.id });
      version = session.version;
      return session.status === 'idle' && session.queueLength === 0;
    });
    await until(() => chat.session !== null && chat.session.version >= version);
  };
  /** What a reader who has followed the events is shown, and what the server says. */
  const both = async ({ id, session, messages, queue, turn }: Conversation) => ({
    followed: { session, messages, queue, turn },
    read: {
      session: await client.getSession({ id }),
      messages: (await client.listMessages({ id, limit: 1_000 })).data,
      queue: (await client.listQueue({ id })).data,
      turn: turn === null ? null : await client.getTurn({ id, turnId: turn.turnId }),
    },
  });

  it('reads nothing more while prompts without tools are answered, and says what the server says', async () => {
    const reads: string[] = [];
    const count = (name: 'getSession' | 'getTurn' | 'listMessages') => ({
      value: (...parameters: readonly never[]) => {
        reads.push(name);
        return (client[name] as (...all: readonly never[]) => unknown)(...parameters);
      },
    });
    const counting: Client = Object.create(client, { getSession: count('getSession'), getTurn: count('getTurn'), listMessages: count('listMessages') });
    const chat = new Conversation(counting, (await client.createSession()).id, () => wake());
    open.add(chat);
    void chat.follow();
    await until(() => chat.isLive && chat.session !== null);
    expect(reads).toEqual(['getSession', 'listMessages']);
    for (const text of ['one', 'two', '{{slow 1}}{{long 20}}']) {
      await chat.send(text);
      await inStep(chat);
    }
    const { followed, read } = await both(chat);
    expect(followed).toEqual(read);
    expect(types(chat)).toHaveLength(6);
    expect(reads).toHaveLength(2);

    // An answer of which only pieces come: nothing is stored until it is stopped.
    await chat.send('{{slow 1000}}{{long 500}}');
    await until(() => chat.turn?.requests.length === 1);
    const running = await both(chat);
    expect(running.followed).toEqual(running.read);
    expect(reads).toHaveLength(2);
    await chat.stop();
    await inStep(chat);
    const stopped = await both(chat);
    expect(stopped.followed).toEqual(stopped.read);
  });

  it('says what the server says after tools, attachments, commands, a compaction, an edit, a restore and an erasure', async () => {
    const chat = await follow();
    await until(() => chat.isLive && chat.session !== null);
    const { id } = chat;
    const body = (input: string, more = {}) => client.submitPrompt({ id, body: { input, ...more } });
    const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['a prompt', () => body('one')],
      ['a context for the model, and one for readers', () => body('two', { attachments: [{ type: 'todo', content: [] }, { type: 'plan_mode' }] })],
      ['a tool', () => body(call('Look', { label: 'seen' }))],
      [
        'a tool that is decided on',
        async () => {
          await body(call('Work', { label: 'done' }));
          await until(() => chat.approvals.length === 1);
          const waiting = await both(chat);
          expect(waiting.followed).toEqual(waiting.read);
          await chat.decide(chat.approvals[0]!, 'allow');
        },
      ],
      ['a command', () => body('/cost')],
      ['a compaction', () => client.compactSession({ id, body: {} })],
      ['a setting', () => client.updateSession({ id, body: { title: 'Another title' } })],
      ['an edit', () => body('another two', { replaces: chat.messages.findLast(({ type, by }) => type === 'user' && by?.kind === 'user')!.uuid })],
      ['a rewind', () => client.rewindSession({ id, body: { before: chat.messages[2]!.uuid } })],
      ['a prompt after it', () => body('three')],
      ['an erasure', () => client.eraseMessage({ id, uuid: chat.messages[0]!.uuid })],
      ['a last prompt', () => body('four')],
    ];
    for (const [name, step] of steps) {
      await step();
      await inStep(chat);
      const { followed, read } = await both(chat);
      expect({ name, ...followed }).toEqual({ name, ...read });
    }
    expect(chat.messages.length).toBeGreaterThan(4);
  });

  it('is part of the changes of all sessions, each version once', async () => {
    const controller = new AbortController();
    const seen: { readonly id: string; readonly version: number; readonly lastText: string | null }[] = [];
    let created: string | null = null;
    for await (const change of client.changes({ signal: controller.signal })) {
      if (change.type === 'session.changed') seen.push(change.data);
      else {
        created = (await client.createSession()).id;
        await client.submitPrompt({ id: created, body: { input: '{{say done}}' } });
      }
      if (seen.at(-1)?.lastText === 'done') controller.abort();
    }
    const versions = seen.filter(({ id }) => id === created).map(({ version }) => version);
    expect(versions.length).toBeGreaterThan(0);
    expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other));
  });

  it('rejects when the session does not exist', async () => {
    const chat = new Conversation(client, '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e');
    await expect(chat.follow()).rejects.toMatchObject({ code: 'session_not_found' });
  });
});
