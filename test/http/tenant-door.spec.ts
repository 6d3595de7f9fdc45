import { afterEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { principalOf } from '../../packages/protocol/access/principal.js';
import { Client } from '../support/client.js';
import { until } from '../support/until.js';
import { Edge } from './support/edge.js';

const LIMITS = { REQUESTS_AT_ONCE: '4', TENANT_REQUESTS_AT_ONCE: '3', TENANT_REQUESTS_WAITING: '5', REQUEST_WAIT_MS: '600000', STREAM_HEARTBEAT_MS: '3600000' };

let edge: Edge;
afterEach(() => edge.stop());

/** Commands begin, and end when told to. */
async function scene(limits: Record<string, string> = {}) {
  edge = await Edge.start({ ...LIMITS, ...limits });
  const begun: { readonly tenantId: string; readonly end: () => void }[] = [];
  const execute = edge.commands.execute.bind(edge.commands);
  edge.commands.execute = async (command) => {
    await new Promise<void>((end) => begun.push({ tenantId: command.context.principal.tenantId, end }));
    return execute(command);
  };
  const tenant = (): { readonly client: Client; readonly id: string } => {
    const [id, token] = [randomUUID(), `vb_${randomUUID()}`];
    edge.accounts.byToken.set(token, principalOf({ tenantId: id, userId: randomUUID(), role: 'admin' }));
    return { client: new Client(edge.url, token), id };
  };
  const create = (client: Client) => client.post('/v1/sessions', {});
  const figure = async (name: string): Promise<number> => {
    const { body } = await edge.client.get<string>('/metrics');
    return Number(new RegExp(`^verbatim_${name} (\\d+)`, 'm').exec(body)?.[1] ?? 0);
  };
  return { begun, tenant, create, figure };
}

describe('a tenant that sends more requests at once than its share', () => {
  it('waits for itself: others are admitted at once, and it is refused when its lane is full', async () => {
    const { begun, tenant, create, figure } = await scene();
    const [greedy, modest] = [tenant(), tenant()];
    const flood = Array.from({ length: 8 }, () => create(greedy.client));
    await until('three run and five wait', async () => begun.length === 3 && (await figure('requests_waiting')) === 5);
    const refused = await create(greedy.client);
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([429, 'tenant_busy', '1']);

    const other = create(modest.client);
    await until('the request of the other tenant runs', async () => begun.some(({ tenantId }) => tenantId === modest.id));
    begun.find(({ tenantId }) => tenantId === modest.id)!.end();
    expect((await other).status).toBe(201);
    for (let ended = 0; ended < 8;) {
      await until('more begin', async () => begun.length > 0);
      const next = begun.filter(({ tenantId }) => tenantId === greedy.id).slice(ended);
      for (const { end } of next) end();
      ended += next.length;
      await new Promise(setImmediate);
    }
    expect((await Promise.all(flood)).map(({ status }) => status)).toEqual(Array(8).fill(201));
  });

  it('takes turns with others that wait', async () => {
    const { begun, tenant, create, figure } = await scene({ TENANT_REQUESTS_AT_ONCE: '2', REQUESTS_AT_ONCE: '2' });
    const [greedy, modest] = [tenant(), tenant()];
    const all = Array.from({ length: 6 }, () => create(greedy.client));
    await until('four wait', async () => (await figure('requests_waiting')) === 4);
    all.push(create(modest.client), create(modest.client));
    await until('six wait', async () => (await figure('requests_waiting')) === 6);
    for (let ended = 0; ended < all.length; ended += 1) {
      await until('the next has begun', async () => begun.length > ended);
      begun[ended]!.end();
    }
    await Promise.all(all);
    expect(
      begun
        .slice(2, 6)
        .map(({ tenantId }) => (tenantId === modest.id ? 'modest' : 'greedy'))
        .sort(),
    ).toEqual(['greedy', 'greedy', 'modest', 'modest']);
  });

  it('is told so when its time is over, and a client that leaves makes room', async () => {
    const { begun, tenant, create, figure } = await scene({ REQUEST_WAIT_MS: '50' });
    const greedy = tenant();
    const running = Array.from({ length: 3 }, () => create(greedy.client));
    await until('three run', async () => begun.length === 3);
    expect((await create(greedy.client)).body.code).toBe('tenant_busy');
    const abort = new AbortController();
    const left = fetch(`${edge.url}/v1/sessions`, { method: 'POST', headers: { authorization: `Bearer ${greedy.client.token}` }, signal: abort.signal }).catch(
      () => null,
    );
    abort.abort();
    await left;
    for (const { end } of begun) end();
    await Promise.all(running);
    expect(await figure('requests_waiting')).toBe(0);
  });
});

it('streams and requests that wait for a turn take no place', async () => {
  const { begun, tenant, create } = await scene();
  const { client } = tenant();
  const id = edge.session();
  const streams = await Promise.all(Array.from({ length: 10 }, () => client.stream(id)));
  await Promise.all(streams.map((stream) => stream.untilType('synced')));
  const created = create(client);
  await until('it runs', async () => begun.length === 1);
  begun[0]!.end();
  expect((await created).status).toBe(201);
  for (const stream of streams) stream.close();
});
