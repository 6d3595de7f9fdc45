import { describe, expect, it } from '@jest/globals';
import { type Client, Conversation, createClient } from '@verbatim/client';

const id = '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e';
const SYNCED = 'retry: 1\n\nevent: synced\ndata: {"version":1}\n\n';
const ANSWERS: Readonly<Record<string, object>> = {
  [`/v1/sessions/${id}`]: { id, version: 1, turnId: null, queueLength: 0 },
  [`/v1/sessions/${id}/messages`]: { version: 1, data: [], position: 0, nextCursor: null },
};

/** A session without messages on a server of which each stream is synced and then ends; `streams` are the last ones, after them the session is gone. */
function server(streams: number) {
  let opened = 0;
  return createClient({
    baseUrl: 'http://server',
    token: 'secret',
    fetch: async (input) => {
      const { pathname } = new URL(input as string);
      const answer = ANSWERS[pathname];
      if (answer) return Response.json(answer);
      opened += 1;
      if (opened <= streams) return new Response(SYNCED, { headers: { 'content-type': 'text/event-stream' } });
      return Response.json({ code: 'session_not_found', status: 404 }, { status: 404, headers: { 'content-type': 'application/problem+json' } });
    },
  });
}

/** A conversation of which each change is awaited: `until` something is so, or the next `change` after the call. */
function observed(client: Client, onChange: (conversation: Conversation) => void = () => undefined) {
  let changed: () => void = () => undefined;
  const conversation: Conversation = new Conversation(client, id, () => {
    onChange(conversation);
    changed();
  });
  const change = (): Promise<void> => new Promise((resolve) => (changed = resolve));
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await change();
  };
  return { conversation, change, until };
}

describe('a conversation of the client', () => {
  it('is live while it is connected, not while the connection is replaced, nor afterwards', async () => {
    const seen: boolean[] = [];
    const conversation: Conversation = new Conversation(server(2), id, () => {
      if (seen.at(-1) !== conversation.isLive) seen.push(conversation.isLive);
    });
    await expect(conversation.follow()).rejects.toMatchObject({ code: 'session_not_found' });
    expect(seen.filter((isLive, index) => index > 0 || isLive)).toEqual([true, false, true, false]);
    expect(conversation.isLive).toBe(false);
  });

  it('is not live after it was closed', async () => {
    let live: () => void = () => undefined;
    const isLive = new Promise<void>((resolve) => (live = resolve));
    const conversation: Conversation = new Conversation(server(1_000), id, () => conversation.isLive && live());
    const following = conversation.follow();
    await isLive;
    conversation.close();
    await following;
    expect(conversation.isLive).toBe(false);
  });

  it('has the newest messages first, and then all of them in their order, also when a server does not have the newest ones apart', async () => {
    for (const isOld of [false, true]) {
      const all = Array.from({ length: 2_345 }, (_, index) => ({ type: 'user', uuid: String(index), content: String(index) }));
      const sizes: number[] = [];
      let done: () => void = () => undefined;
      const complete = new Promise<void>((resolve) => (done = resolve));
      const client = createClient({
        baseUrl: 'http://server',
        fetch: async (input, init) => {
          const { pathname, searchParams } = new URL(input as string);
          if (pathname.endsWith('/stream')) return pending(init?.signal);
          if (!pathname.endsWith('/messages')) return Response.json({ id, version: 1, turnId: null, queueLength: 0 });
          const limit = Number(searchParams.get('limit'));
          if (searchParams.has('newest') && isOld)
            return Response.json({ code: 'invalid_input', status: 400 }, { status: 400, headers: { 'content-type': 'application/problem+json' } });
          const position = searchParams.has('newest') ? all.length - limit : Number(searchParams.get('cursor'));
          const data = all.slice(position, position + limit);
          return Response.json({ version: 1, data, position, nextCursor: position + limit < all.length ? String(position + limit) : null });
        },
      });
      const conversation: Conversation = new Conversation(client, id, () => {
        sizes.push(conversation.messages.length);
        if (conversation.session && conversation.isComplete) done();
      });
      const following = conversation.follow();
      await complete;
      expect(conversation.messages).toEqual(all);
      if (!isOld) expect(sizes.find((size) => size > 0)).toBe(100);
      conversation.close();
      await following;
    }
  });

  it.each([
    ['content.erased', {}],
    ['session.rewound', { removed: ['gone'] }],
  ])('does not keep a page that was on its way when %s arrived', async (type, data) => {
    const messageOf = (uuid: string) => ({ type: 'user', uuid, content: uuid });
    let send: (event: string) => void = () => undefined;
    let pages = 0;
    let answer: (page: Response) => void = () => undefined;
    const asked: (() => void)[] = [];
    const page = (...uuids: readonly string[]) => Response.json({ version: 2, data: uuids.map(messageOf), position: 0, nextCursor: null });
    const client = createClient({
      baseUrl: 'http://server',
      fetch: async (input, init) => {
        const { pathname } = new URL(input as string);
        if (pathname.endsWith('/stream')) return controlled(init?.signal, (to) => (send = to));
        if (!pathname.endsWith('/messages')) return Response.json({ id, version: 1, head: 'kept', turnId: null, queueLength: 0 });
        pages += 1;
        if (pages > 1) return page('kept');
        asked.shift()?.();
        return new Promise<Response>((resolve) => (answer = resolve));
      },
    });
    const firstAsked = new Promise<void>((resolve) => asked.push(resolve));
    const { conversation, until, change } = observed(client);
    const following = conversation.follow();
    await firstAsked;
    await until(() => conversation.isLive);
    const applied = change();
    send(`id: 2\nevent: ${type}\ndata: ${JSON.stringify({ seq: 2, type, data })}\n\n`);
    await applied;
    answer(page('kept', 'gone'));
    await until(() => conversation.session !== null && pages > 1);
    expect(conversation.messages.map(({ uuid }) => uuid)).toEqual(['kept']);
    conversation.close();
    await following;
  });

  it('does not show an answer twice when it is read before the event that says that it is stored', async () => {
    let send: (event: string) => void = () => undefined;
    const messages = [
      { type: 'user', uuid: 'prompt', content: 'hi' },
      { type: 'assistant', uuid: 'answer', requestId: 'request', message: { content: [{ type: 'text', text: 'Hello' }] } },
    ];
    let stored: readonly object[] = [];
    const client = createClient({
      baseUrl: 'http://server',
      fetch: async (input, init) => {
        const { pathname } = new URL(input as string);
        if (pathname.endsWith('/stream')) return controlled(init?.signal, (to) => (send = to));
        if (!pathname.endsWith('/messages')) return Response.json({ id, version: 1, head: stored.length > 0 ? 'answer' : null, turnId: null, queueLength: 0 });
        return Response.json({ version: stored.length > 0 ? 2 : 1, data: stored, position: 0, nextCursor: null });
      },
    });
    const shown: (readonly [messages: number, draft: boolean])[] = [];
    const { conversation, until } = observed(client, ({ messages: { length }, draft }) => shown.push([length, draft !== null]));
    const following = conversation.follow();
    await until(() => conversation.isLive && conversation.session !== null);
    send(`event: message.delta\ndata: ${JSON.stringify({ requestId: 'request', index: 0, start: { type: 'text', text: 'He' } })}\n\n`);
    await until(() => conversation.draft !== null);
    stored = messages;
    send(`id: 2\nevent: message.appended\ndata: ${JSON.stringify({ seq: 2, type: 'message.appended', data: { message: messages[0] } })}\n\n`);
    await until(() => conversation.messages.length === 2);
    expect(shown).not.toContainEqual([2, true]);
    expect(conversation.draft).toBeNull();
    conversation.close();
    await following;
  });

  it('does not lose the message of an event that arrives while the page before it is on its way, nor shows one twice that the page has', async () => {
    for (const includes of [false, true]) {
      const messages = ['one', 'two'].map((uuid, at) => ({ type: 'system', uuid, parentUuid: at === 0 ? null : 'one', content: uuid }));
      let send: (event: string) => void = () => undefined;
      let answer: (page: Response) => void = () => undefined;
      let asked: () => void = () => undefined;
      const isAsked = new Promise<void>((resolve) => (asked = resolve));
      let pages = 0;
      const client = createClient({
        baseUrl: 'http://server',
        fetch: async (input, init) => {
          const { pathname } = new URL(input as string);
          if (pathname.endsWith('/stream')) return controlled(init?.signal, (to) => (send = to));
          if (!pathname.endsWith('/messages')) return Response.json({ id, version: 1, head: 'one', turnId: null, queueLength: 0 });
          asked();
          pages += 1;
          return new Promise<Response>((resolve) => (answer = resolve));
        },
      });
      const { conversation, until, change } = observed(client);
      const following = conversation.follow();
      await isAsked;
      await until(() => conversation.isLive);
      const applied = change();
      const event = { seq: 2, type: 'message.appended', actor: { kind: 'system', id: 'worker' }, data: { message: messages[1], turnId: null } };
      send(`id: 2\nevent: message.appended\ndata: ${JSON.stringify(event)}\n\n`);
      await applied;
      const data = includes ? messages : messages.slice(0, 1);
      answer(Response.json({ version: data.length, data, position: 0, nextCursor: null }));
      await until(() => conversation.session !== null);
      expect(conversation.messages.map(({ uuid }) => uuid)).toEqual(['one', 'two']);
      expect(conversation.session).toMatchObject({ version: 2, head: 'two' });
      expect(pages).toBe(1);
      conversation.close();
      await following;
    }
  });

  it('reads the messages again when a state is newer than they are', async () => {
    let send: (event: string) => void = () => undefined;
    let pages = 0;
    let version = 1;
    const answer = { type: 'assistant', uuid: 'answer', parentUuid: null, message: { content: [{ type: 'text', text: 'Hello' }] } };
    const client = createClient({
      baseUrl: 'http://server',
      fetch: async (input, init) => {
        const { pathname } = new URL(input as string);
        if (pathname.endsWith('/stream')) return controlled(init?.signal, (to) => (send = to));
        if (!pathname.endsWith('/messages')) return Response.json({ id, version, head: version > 1 ? 'answer' : null, turnId: null, queueLength: 0 });
        pages += 1;
        return Response.json({ version, data: version > 1 ? [answer] : [], position: 0, nextCursor: null });
      },
    });
    const shown: (readonly [version: number, messages: number])[] = [];
    const { conversation, until } = observed(client, ({ session, messages }) => session && shown.push([session.version, messages.length]));
    const following = conversation.follow();
    await until(() => conversation.isLive && conversation.session !== null);
    version = 3; // the events of it are still on their way
    send('event: queue.changed\ndata: {}\n\n');
    await until(() => conversation.session?.version === 3);
    expect(shown).not.toContainEqual([3, 0]);
    expect(conversation.messages).toHaveLength(1);
    expect(pages).toBe(2);
    conversation.close();
    await following;
  });
});

/** A stream on which nothing arrives. */
function pending(signal: AbortSignal | null | undefined): Response {
  const body = new ReadableStream({
    start: (controller) => signal?.addEventListener('abort', () => controller.error(signal.reason)),
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

/** A stream that is synced, and on which `given` can send more. */
function controlled(signal: AbortSignal | null | undefined, given: (send: (event: string) => void) => void): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(encoder.encode(SYNCED));
      given((event) => controller.enqueue(encoder.encode(event)));
      signal?.addEventListener('abort', () => controller.error(signal.reason));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
