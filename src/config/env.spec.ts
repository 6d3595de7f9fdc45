import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { readSettings, SETTING_NAMES, SettingsError } from './env.js';

const example = Object.fromEntries(
  readFileSync('.env.example', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
);

describe('settings', () => {
  it('are listed in .env.example, all of them and no others', () => {
    expect(Object.keys(example).sort()).toEqual([...SETTING_NAMES].sort());
  });

  it('have the defaults that .env.example shows', () => {
    expect(readSettings(example)).toEqual(readSettings({}));
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

  it('take an empty value for one left out', () => {
    expect(readSettings({ PORT: '', REDIS_URL: '' })).toEqual(readSettings({}));
  });
});
