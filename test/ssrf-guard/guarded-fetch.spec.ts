import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { checkedLookup } from '../../src/platform/ssrf-guard/checked-lookup.js';
import { GuardedFetch, type GuardedFetchOptions } from '../../src/platform/ssrf-guard/guarded-fetch.js';
import { isPublicAddress } from '../../src/platform/ssrf-guard/public-address.js';

describe('isPublicAddress', () => {
  it.each(['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '::ffff:1.1.1.1', '2a00:1450:4001:80b::200e'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ['this machine', '127.0.0.1'],
    ['this machine', '127.8.9.10'],
    ['this machine', '0.0.0.0'],
    ['this machine', '::1'],
    ['this machine', '::'],
    ['a private network', '10.1.2.3'],
    ['a private network', '172.16.0.1'],
    ['a private network', '192.168.1.1'],
    ['a private network', 'fd12:3456::1'],
    ['a provider network', '100.64.0.1'],
    ['the link', 'fe80::1'],
    ['the link', '169.254.1.1'],
    ['a metadata service', '169.254.169.254'],
    ['a metadata service', 'fd00:ec2::254'],
    ['a metadata service', '100.100.100.200'],
    ['a metadata service', '168.63.129.16'],
    ['a group', '224.0.0.1'],
    ['a group', 'ff02::1'],
    ['everybody', '255.255.255.255'],
    ['another address, mapped', '::ffff:127.0.0.1'],
    ['another address, mapped', '::ffff:a9fe:a9fe'],
    ['another address, compatible', '::127.0.0.1'],
    ['another address, translated', '64:ff9b::7f00:1'],
    ['another address, tunnelled', '2002:7f00:1::'],
    ['another address, tunnelled', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['documentation', '203.0.113.7'],
    ['nobody', '4000::1'],
    ['no address', 'localhost'],
    ['no address', ''],
  ])('%s (%s) is not', (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it('rejects 10.0.0.0/8 in every notation', () => {
    fc.assert(
      fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)), ([a, b, c]) => {
        expect(isPublicAddress(`10.${a}.${b}.${c}`)).toBe(false);
        expect(isPublicAddress(`::ffff:10.${a}.${b}.${c}`)).toBe(false);
        expect(isPublicAddress(`${(10 * 2 ** 24 + a * 2 ** 16 + b * 2 ** 8 + c).toString()}`)).toBe(false);
      }),
    );
  });
});

describe('GuardedFetch', () => {
  const servers: Server[] = [];
  const callers: GuardedFetch[] = [];
  afterEach(async () => {
    for (const caller of callers.splice(0)) caller.close();
    await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)))));
  });

  const serve = async (answer: RequestListener): Promise<string> => {
    const server = createServer(answer);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const outbound = (options: Partial<GuardedFetchOptions> = {}) => {
    const caller = new GuardedFetch({ allowPrivate: true, maxBytes: 1_000, ...options });
    callers.push(caller);
    return caller;
  };

  it('sends the request and returns the response', async () => {
    const url = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => response.writeHead(201, { 'x-method': request.method, 'x-given': request.headers['x-given'] }).end(body));
    });
    const response = await outbound().fetch(url, { method: 'POST', headers: { 'X-Given': 'yes' }, body: 'hällo' });
    expect([response.status, response.headers.get('x-method'), response.headers.get('x-given'), await response.text()]).toEqual([201, 'POST', 'yes', 'hällo']);
  });

  it('ignores headers that control the transfer', async () => {
    const url = await serve((request, response) => void response.end(JSON.stringify(request.headers)));
    const headers = {
      host: 'inside.example',
      expect: '100-continue',
      'content-length': '7',
      'transfer-encoding': 'chunked',
      connection: 'upgrade',
      upgrade: 'x',
      'x-own': 'y',
    };
    const seen = (await (await outbound().fetch(url, { method: 'POST', headers, body: 'four' })).json()) as Record<string, string>;
    expect(seen).toMatchObject({ host: new URL(url).host, 'content-length': '4', 'x-own': 'y' });
    for (const name of ['expect', 'transfer-encoding', 'upgrade']) expect(seen).not.toHaveProperty(name);
  });

  it('returns responses without a body', async () => {
    const url = await serve((_, response) => response.writeHead(204).end());
    expect((await outbound().fetch(url)).status).toBe(204);
  });

  it.each([
    'http://127.0.0.1:1',
    'http://[::1]:1',
    'http://0x7f.1:1',
    'http://2130706433:1',
    'http://169.254.169.254/latest/meta-data',
    'http://localhost:1',
    'http://[::ffff:127.0.0.1]:1',
  ])('does not call %s', async (url) => {
    await expect(outbound({ allowPrivate: false }).fetch(url)).rejects.toMatchObject({ code: 'address_not_allowed' });
  });

  it('does not connect to a name that resolves to a private address at the moment of connecting', async () => {
    let calls = 0;
    const url = await serve((_, response) => {
      calls += 1;
      response.end();
    });
    await expect(outbound({ allowPrivate: false }).fetch(url.replace('127.0.0.1', 'localhost'))).rejects.toMatchObject({ code: 'address_not_allowed' });
    expect(calls).toBe(0);
    const found = await new Promise((resolve) => checkedLookup('localhost', { all: true }, (error, addresses) => resolve([error?.code ?? null, addresses])));
    expect(found).toEqual(['address_not_allowed', []]);
  });

  it('follows no redirect', async () => {
    let calls = 0;
    const url = await serve((_, response) => {
      calls += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    await expect(outbound().fetch(url)).rejects.toMatchObject({ code: 'redirected' });
    expect(calls).toBe(1);
  });

  it('aborts a response that is too long', async () => {
    const url = await serve((_, response) => void response.end('x'.repeat(1_001)));
    const response = await outbound().fetch(url);
    await expect(response.text()).rejects.toThrow('more than 1000 bytes');
    const fits = await serve((_, given) => void given.end('x'.repeat(1_000)));
    expect((await (await outbound().fetch(fits)).text()).length).toBe(1_000);
  });

  it('aborts before and during the response', async () => {
    const stop = new AbortController();
    const silent = await serve(() => stop.abort());
    await expect(outbound().fetch(silent, { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });

    const later = new AbortController();
    const halting = await serve((_, response) => void response.write('half'));
    const response = await outbound().fetch(halting, { signal: later.signal });
    const reading = response.text();
    later.abort();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('rejects other protocols', async () => {
    await expect(outbound().fetch('file:///etc/passwd')).rejects.toMatchObject({ code: 'unsupported_address' });
  });
});
