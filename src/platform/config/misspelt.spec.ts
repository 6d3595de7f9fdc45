import { expect, it } from '@jest/globals';
import { SETTING_NAMES } from './env.js';
import { misspeltSettings } from './misspelt.js';

it.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['ANTHROPIC_APIKEY', 'ANTHROPIC_API_KEY'],
  ['SKILL_DIR', 'SKILLS_DIR'],
  ['MODLE', 'MODEL'],
  ['redis_url', 'REDIS_URL'],
])('%s probably means %s', (name, meant) => {
  expect(misspeltSettings({ [name]: 'x' })).toEqual([{ name, meant }]);
});

it('settings themselves, and the usual variables of an environment, are not reported', () => {
  const usual = [
    'PATH',
    'HOME',
    'HOSTNAME',
    'USER',
    'TERM',
    'SHELL',
    'LANG',
    'PWD',
    'NODE_ENV',
    'NODE_OPTIONS',
    'POST',
    'EDITOR',
    'TZ',
    'npm_config_cache',
    'OTEL_SERVICE_NAME',
  ];
  expect(misspeltSettings(Object.fromEntries([...SETTING_NAMES, ...usual].map((name) => [name, 'x'])))).toEqual([]);
});
