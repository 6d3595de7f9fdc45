import { describe, expect, it } from '@jest/globals';
import { parseHooks, readHooksFile } from '../../src/adapters/hooks/hooks-file.js';

const parse = (value: unknown) => parseHooks(typeof value === 'string' ? value : JSON.stringify(value), '/etc/hooks.json', 60_000);
const command = { type: 'command', command: 'true' };

describe('the hooks file', () => {
  it('has the shape of public settings, of which it may be a part', () => {
    const hooks = parse({
      permissions: { allow: ['Bash'] },
      hooks: { UserPromptSubmit: [{ matcher: 'a|b', hooks: [{ ...command, timeout: 1.5, statusMessage: 'Checking' }] }, { hooks: [command] }] },
    });
    expect(hooks).toMatchObject([
      { event: 'UserPromptSubmit', matcher: 'a|b', command: 'true', timeoutMs: 1_500 },
      { event: 'UserPromptSubmit', matcher: null, command: 'true', timeoutMs: 60_000 },
    ]);
  });

  it('can switch all of them off', () => {
    expect(parse({ disableAllHooks: true, hooks: { UserPromptSubmit: [{ hooks: [command] }] } })).toEqual([]);
  });

  it.each([
    ['no JSON', '{', 'is not JSON'],
    ['no hooks', {}, 'hooks: Invalid input'],
    ['an event of nobody', { hooks: { BeforeLunch: [] } }, 'hooks.BeforeLunch: this server runs no hooks at this event; it does at UserPromptSubmit'],
    ['an event of elsewhere', { hooks: { SubagentStop: [{ hooks: [command] }] } }, 'hooks.SubagentStop: this server runs no hooks'],
    ['http', { hooks: { UserPromptSubmit: [{ hooks: [{ type: 'http', url: 'http://x' }] }] } }, 'hooks.UserPromptSubmit.0.hooks.0.type: hooks of type "http" are not supported: use "type": "command"'],
    ['no command', { hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command' }] }] } }, 'hooks.UserPromptSubmit.0.hooks.0.command: '],
    ['an empty command', { hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: ' ' }] }] } }, 'command: must not be empty'],
    ['a bad time-out', { hooks: { UserPromptSubmit: [{ hooks: [{ ...command, timeout: 0 }] }] } }, 'hooks.0.timeout: '],
    ['a bad matcher', { hooks: { UserPromptSubmit: [{ matcher: '(', hooks: [] }] } }, 'hooks.UserPromptSubmit.0.matcher: is not a valid regular expression'],
    ['an unknown member', { hooks: { UserPromptSubmit: [{ hooks: [{ ...command, async: true }] }] } }, '"async"'],
  ])('names the file and the place: %s', (_name, value, sentence) => {
    expect(() => parse(value)).toThrow('/etc/hooks.json');
    expect(() => parse(value)).toThrow(sentence);
  });

  it('names all faults at once', () => {
    const two = { hooks: { Nope: [], UserPromptSubmit: [{ matcher: '(', hooks: [] }] } };
    expect(() => parse(two)).toThrow(/hooks\.Nope[\s\S]*matcher/);
  });

  it('says so when it cannot be read', () => {
    expect(() => readHooksFile('/nowhere/hooks.json', 1)).toThrow('HOOKS_FILE /nowhere/hooks.json cannot be read (ENOENT).');
  });
});
