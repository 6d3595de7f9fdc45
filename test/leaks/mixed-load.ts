import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { Client } from '../support/client.js';

/** A PNG of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** One round of what clients do, good and bad, on its own session. Ends when the session is at rest. */
export async function mixedLoad(client: Client): Promise<void> {
  const id = await client.session({ tools: [{ name: 'Ask', input_schema: { type: 'object' } }] });
  const prompts = `/v1/sessions/${id}/prompts`;
  const reader = await client.stream(id);
  const broken = await client.stream(id);
  await client.ask(id, 'hello {{think a little}} {{say one}} {{long 50}}');
  broken.close();
  const image = [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }];
  await client.ask(id, [{ type: 'text', text: `look ${randomUUID()}` }, ...image]);
  await client.ask(id, 'a failure {{fail 400}}');
  await client.ask(id, 'a retry {{fail 529}}');
  const slow = await client.prompt(id, '{{slow 50}}{{long 500}}');
  await client.prompt(id, 'queued', { whenBusy: 'enqueue' });
  await client.post(`/v1/sessions/${id}/interrupt`);
  await client.settled(id, slow.body.turnId);
  const [first] = (await client.messages(id)).filter(({ type }) => type === 'user');
  await client.post(`/v1/sessions/${id}/rewinds`, { before: first!.uuid, interrupt: true });
  await client.ask(id, 'after the rewind');
  const waiting = await client.prompt(id, '{{tool Ask {"n":1}}}');
  const turn = await client.settled(id, waiting.body.turnId);
  const results = (turn.toolCalls as readonly { toolUseId: string }[]).map(({ toolUseId }) => ({ toolUseId, content: '4' }));
  if (results.length > 0) await client.post(`/v1/sessions/${id}/tool-results`, { results });
  await client.settled(id, waiting.body.turnId);
  await refused(client, prompts);
  await transfer(client, id);
  await cutOff(client, prompts);
  for (const path of ['payload', 'requests', 'audit', 'messages?limit=5', 'events?limit=5']) await client.get(`/v1/sessions/${id}/${path}`);
  await Promise.all(Array.from({ length: 5 }, () => client.get('/health/ready')));
  reader.close();
}

/** Requests that are answered with 4xx. */
async function refused(client: Client, prompts: string): Promise<void> {
  await client.post(prompts, { input: 5 });
  await client.post(prompts, { input: '' });
  await client.call('POST', prompts, '{"input":');
  await client.post(prompts, { input: 'x', origin: ' '.repeat(200_000), more: 1 });
  await client.get(`/v1/sessions/${randomUUID()}`);
  await client.as('vb_wrong').get('/v1/sessions');
  await client.post('/v1/normalize', { messages: [{ role: 'unknown' }] });
}

async function transfer(client: Client, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${client.token}` };
  const exported = await (await fetch(`${client.baseUrl}/v1/sessions/${id}/export`, { headers })).text();
  const send = async (body: string): Promise<void> => {
    const response = await fetch(`${client.baseUrl}/v1/imports`, { method: 'POST', headers: { ...headers, 'content-type': 'application/x-ndjson' }, body });
    await response.arrayBuffer();
  };
  await send(exported);
  await send('{"type":');
}

/** A request with a body that never ends, a download that is not read to its end, and a connection that says nothing. */
async function cutOff(client: Client, prompts: string): Promise<void> {
  const { hostname, port } = new URL(client.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(
    `POST ${prompts} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.token}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"input":`,
  );
  const silent = connect(Number(port), hostname);
  silent.on('error', () => {});
  const controller = new AbortController();
  await fetch(`${client.baseUrl}/v1/sessions?limit=50`, { headers: { authorization: `Bearer ${client.token}` }, signal: controller.signal });
  controller.abort();
  socket.destroy();
  silent.destroy();
}
