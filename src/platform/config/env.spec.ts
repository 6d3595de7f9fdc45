import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { earlierNames } from './earlier-names.js';
import { readSettings, SETTING_NAMES, SettingsError } from './env.js';

const example = Object.fromEntries(
  readFileSync('.env.example', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, name, value] = /^([A-Z_]+)="?([^"]*)"?$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
);

describe('settings', () => {
  it('have a comment in .env.example, each or their group', () => {
    const paragraphs = readFileSync('.env.example', 'utf8').split(/\n{2,}/);
    expect(paragraphs.filter((text) => /^[A-Z_]+=/m.test(text) && !/^# ?\S/m.test(text))).toEqual([]);
  });

  it('are listed in .env.example, all of them and no others', () => {
    expect(Object.keys(example).sort()).toEqual([...SETTING_NAMES].sort());
  });

  it('have the defaults that .env.example shows', () => {
    expect(readSettings(example)).toEqual(readSettings({}));
  });

  it('are read from .env.example by a shell', () => {
    const printed = execFileSync('sh', ['-euc', 'set -a; . ./.env.example; env -0'], { env: {}, encoding: 'utf8' });
    const read = Object.fromEntries(printed.split('\0').map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
    for (const name of SETTING_NAMES) expect([name, read[name]]).toEqual([name, example[name]]);
  });

  it('are shown with the value and the unit where they are wrong, secrets without', () => {
    const wrong = {
      DATABASE_TIMEOUT_MS: '1s',
      SESSION_CACHE_BYTES: '32MB',
      WORKER_CONCURRENCY: 'many',
      JOB_LOCK_MS: '0',
      AUTH_JWT_SECRET: 'short',
      BLOB_STORE: 's3://key:of-the-bucket@files',
    };
    expect(() => readSettings(wrong)).toThrow('DATABASE_TIMEOUT_MS: must be a number of milliseconds, without a unit; it is "1s"');
    expect(() => readSettings(wrong)).toThrow('SESSION_CACHE_BYTES: must be a number of bytes, without a unit; it is "32MB"');
    expect(() => readSettings(wrong)).toThrow('WORKER_CONCURRENCY: must be a number; it is "many"');
    expect(() => readSettings(wrong)).toThrow(/JOB_LOCK_MS: .*; it is "0"/);
    expect(() => readSettings(wrong)).toThrow('BLOB_STORE: ');
    expect(() => readSettings(wrong)).not.toThrow(/"short"|of-the-bucket/);
  });

  it('name every fault at once', () => {
    let error: unknown;
    try {
      readSettings({ PORT: 'x', ROLE: 'boss', DATABASE_URL: 'mysql://h/d', AUTH_JWT_SECRET: 'short' });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(SettingsError);
    for (const name of ['PORT', 'ROLE', 'DATABASE_URL', 'AUTH_JWT_SECRET']) expect((error as Error).message).toContain(`${name}:`);
  });

  it('reject a pair that contradicts itself', () => {
    const both = { AUTH_JWKS_URL: 'https://issuer.example/keys', AUTH_JWT_SECRET: 'x'.repeat(32) };
    expect(() => readSettings(both)).toThrow('not both');
    expect(() => readSettings({ AUTH_JWKS_URL: 'https://issuer.example/keys', AUTH_JWT_ISSUER: 'x' })).toThrow('needs AUTH_JWT_ISSUER and AUTH_JWT_AUDIENCE');
    expect(() => readSettings({ DATABASE_APP_URL: 'postgresql://h/d' })).toThrow('needs DATABASE_URL');
  });

  it('are read under their earlier names, with a word about it', () => {
    const earlier = { HANDOVER: 'queue', SEALING: 'on', SEALING_KEY_CACHE: '7' };
    expect(readSettings(earlier)).toEqual(readSettings({ TURN_DISPATCH: 'queue', ENCRYPTION: 'on', ENCRYPTION_KEY_CACHE: '7' }));
    expect(earlierNames(earlier)).toEqual([
      'HANDOVER is called TURN_DISPATCH now; the next version does not read the earlier name',
      'SEALING is called ENCRYPTION now; the next version does not read the earlier name',
      'SEALING_KEY_CACHE is called ENCRYPTION_KEY_CACHE now; the next version does not read the earlier name',
    ]);
    expect(readSettings({ HANDOVER: 'queue', TURN_DISPATCH: 'queue' }).TURN_DISPATCH).toBe('queue');
    expect(() => readSettings({ HANDOVER: 'queue', TURN_DISPATCH: 'direct' })).toThrow(
      'HANDOVER, TURN_DISPATCH: are the same setting, and have different values',
    );
    expect(earlierNames({ TURN_DISPATCH: 'queue', HANDOVER: '' })).toEqual([]);
  });

  it('take an empty value for one left out', () => {
    expect(readSettings({ PORT: '', REDIS_URL: '' })).toEqual(readSettings({}));
  });
});
