import { describe, expect, it } from '@jest/globals';
import { databaseUrl, editDatabaseUrl, hostUrls, mustBeWritable, placeOf } from './database-url.js';

const SEVERAL = 'postgresql://us%2Cer:p%40ss@first:5432,[::1]:5433,third/db?sslmode=require';

describe('an address of Postgres', () => {
  it('is one URL per host', () => {
    const of = (host: string): string => `postgresql://us%2Cer:p%40ss@${host}/db?sslmode=require`;
    expect(hostUrls(SEVERAL)).toEqual([of('first:5432'), of('[::1]:5433'), of('third')]);
    expect(hostUrls('postgres:///db?host=/run/a,/run/b&port=1,2')).toEqual(['postgres:///db?host=%2Frun%2Fa&port=1', 'postgres:///db?host=%2Frun%2Fb&port=2']);
    expect(hostUrls('postgres:///db?host=/run/a')).toEqual(['postgres:///db?host=/run/a']);
  });

  it('is edited with all of its hosts', () => {
    const edited = editDatabaseUrl(SEVERAL, (url) => {
      url.username = 'other';
      url.pathname = '/postgres';
    });
    expect(edited).toBe('postgresql://other:p%40ss@first:5432,[::1]:5433,third/postgres?sslmode=require');
  });

  it('is named without its credentials', () => {
    expect(placeOf(SEVERAL)).toBe('first:5432,[::1]:5433,third/db');
    expect(placeOf('postgres:///db')).toBe('the local socket/db');
  });

  it('asks for a server that takes writes where it has several hosts or says so', () => {
    expect(['postgres://h/d', SEVERAL, 'postgres://h/d?target_session_attrs=primary'].map(mustBeWritable)).toEqual([false, true, true]);
  });

  it.each([
    ['mysql://h/d', 'begins with postgresql://'],
    ['postgres://a:1,b:x/d', 'must be a URL'],
    ['postgres://a,,b/d', 'empty host'],
    ['postgres://a,b/d?target_session_attrs=any', 'target_session_attrs must be read-write or primary'],
  ])('%s is refused with the reason', (url, reason) => {
    expect(databaseUrl.safeParse(url).error?.issues[0]?.message).toContain(reason);
  });

  it.each([SEVERAL, 'postgres://h/d', 'postgresql:///d?host=/run', 'postgres://a,b/d?target_session_attrs=read-write'])('%s is taken', (url) => {
    expect(databaseUrl.parse(url)).toBe(url);
  });
});
