import { describe, expect, it } from '@jest/globals';
import { parseRedisUrl, redisUrl } from './redis-url.js';

describe('an address of Redis', () => {
  it.each([
    ['redis://h', { kind: 'server', tls: false, endpoint: { host: 'h', port: 6379 }, db: 0 }],
    ['rediss://us%3Aer:p%40ss@[::1]:1/3', { kind: 'server', tls: true, username: 'us:er', password: 'p@ss', endpoint: { host: '::1', port: 1 }, db: 3 }],
    ['redis://:secret@h:1', { kind: 'server', tls: false, password: 'secret', endpoint: { host: 'h', port: 1 }, db: 0 }],
    ['unix:///run/my%20redis.sock?db=2&password=x', { kind: 'socket', tls: false, password: 'x', path: '/run/my redis.sock', db: 2 }],
    [
      'redis+sentinel://u:p@a,b:2/main/4?sentinelPassword=s',
      {
        ...{ kind: 'sentinel', tls: false, username: 'u', password: 'p', name: 'main', db: 4, sentinelLogin: { password: 's' } },
        sentinels: [
          { host: 'a', port: 26379 },
          { host: 'b', port: 2 },
        ],
      },
    ],
    [
      'rediss+cluster://a:1,b',
      {
        ...{ kind: 'cluster', tls: true, db: 0 },
        nodes: [
          { host: 'a', port: 1 },
          { host: 'b', port: 6379 },
        ],
      },
    ],
  ])('%s is read', (url, address) => {
    expect(parseRedisUrl(url)).toEqual(address);
  });

  it.each([
    ['http://h', 'must be redis://'],
    ['redis:///run/redis.sock', 'unix:///path'],
    ['redis://h/run/redis.sock', 'not the number of a database'],
    ['redis://a,b', 'redis+sentinel:// or redis+cluster://'],
    ['redis+sentinel://a', 'names no primary'],
    ['redis+cluster://a/1', 'no numbered databases'],
    ['redis+cluster://a,,b', 'hosts that cannot be read'],
    ['redis://h:x', 'hosts that cannot be read'],
    ['unix://h/run', 'a path and no host'],
  ])('%s is refused with the reason', (url, reason) => {
    expect(redisUrl.safeParse(url).error?.issues[0]?.message).toContain(reason);
  });
});
