import { describe, expect, it } from '@jest/globals';
import { parseHooks, readHooksFile } from '../../src/engine/hooks/hooks-file.js';

const parse = (value: unknown) =>
  parseHooks(typeof value === 'string' ? value : JSON.stringify(value), '/etc/hooks.json', {
    timeoutMs: 60_000,
    environment: { HOOK_TOKEN: 'abc', OTHER: 'never\nthis' },
  });
const command = { type: 'command', command: 'true' };

describe('the hooks file', () => {
  it('has the format of the public settings, other members of which are ignored', () => {
    const hooks = parse({
      permissions: { allow: ['Bash'] },
      hooks: { UserPromptSubmit: [{ matcher: 'a|b', hooks: [{ ...command, timeout: 1.5, statusMessage: 'Checking' }] }, { hooks: [command] }] },
    });
    expect(hooks).toMatchObject([
      { event: 'UserPromptSubmit', matcher: 'a|b', command: 'true', timeoutMs: 1_500 },
      { event: 'UserPromptSubmit', matcher: null, command: 'true', timeoutMs: 60_000 },
    ]);
  });

  it('accepts every event and both types', () => {
    const url = {
      type: 'http',
      url: 'http://localhost:8080/hook?key=1',
      headers: { Authorization: 'Bearer $HOOK_TOKEN', 'X-Other': '${OTHER}x$NONE' },
      allowedEnvVars: ['HOOK_TOKEN'],
    };
    const events = ['UserPromptSubmit', 'SessionStart', 'PreToolUse', 'PostToolUse', 'Stop', 'PreCompact'];
    const hooks = parse({ hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [command, url] }]])) });
    expect(hooks.map(({ event, type }) => `${event} ${type}`)).toEqual(events.flatMap((event) => [`${event} command`, `${event} http`]));
    // Variables that are not allowed become nothing.
    expect(hooks[1]).toMatchObject({ type: 'http', url: url.url, headers: { authorization: 'Bearer abc', 'x-other': 'x' }, timeoutMs: 60_000 });
  });

  it('can disable all hooks', () => {
    expect(parse({ disableAllHooks: true, hooks: { UserPromptSubmit: [{ hooks: [command] }] } })).toEqual([]);
  });

  it.each([
    ['no JSON', '{', 'is not JSON'],
    ['no hooks', {}, 'hooks: Invalid input'],
    [
      'an unknown event',
      { hooks: { BeforeLunch: [] } },
      'hooks.BeforeLunch: this server runs no hooks at this event; supported events: UserPromptSubmit, SessionStart, PreToolUse',
    ],
    ['an event of elsewhere', { hooks: { SubagentStop: [{ hooks: [command] }] } }, 'hooks.SubagentStop: this server runs no hooks'],
    [
      'a kind of elsewhere',
      { hooks: { Stop: [{ hooks: [{ type: 'prompt', prompt: 'done?' }] }] } },
      'hooks.Stop.0.hooks.0.type: hooks of type "prompt" are not supported: use "command" or "http"',
    ],
    ['no address', { hooks: { Stop: [{ hooks: [{ type: 'http', url: '/here' }] }] } }, 'hooks.Stop.0.hooks.0.url: is not a URL'],
    ['an address of another kind', { hooks: { Stop: [{ hooks: [{ type: 'http', url: 'file:///etc/passwd' }] }] } }, 'url: must begin with https:// or http://'],
    ['an address with a password', { hooks: { Stop: [{ hooks: [{ type: 'http', url: 'http://a:b@x' }] }] } }, 'url: must not contain a user or password'],
    [
      'a header of ours',
      { hooks: { Stop: [{ hooks: [{ type: 'http', url: 'http://x', headers: { 'Content-Length': '1' } }] }] } },
      'headers.Content-Length: is set by the server',
    ],
    [
      'two lines in a header',
      { hooks: { Stop: [{ hooks: [{ type: 'http', url: 'http://x', headers: { a: 'b\r\nc: d' } }] }] } },
      'headers.a: must be one line',
    ],
    ['no command', { hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command' }] }] } }, 'hooks.UserPromptSubmit.0.hooks.0.command: '],
    ['an empty command', { hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: ' ' }] }] } }, 'command: must not be empty'],
    ['a bad time-out', { hooks: { UserPromptSubmit: [{ hooks: [{ ...command, timeout: 0 }] }] } }, 'hooks.0.timeout: '],
    ['a bad matcher', { hooks: { UserPromptSubmit: [{ matcher: '(', hooks: [] }] } }, 'hooks.UserPromptSubmit.0.matcher: is not a valid regular expression'],
    ['an unknown member', { hooks: { UserPromptSubmit: [{ hooks: [{ ...command, async: true }] }] } }, '"async"'],
  ])('names the file and the place: %s', (_name, value, sentence) => {
    expect(() => parse(value)).toThrow('/etc/hooks.json');
    expect(() => parse(value)).toThrow(sentence);
  });

  it('reports all faults at once', () => {
    const two = { hooks: { Nope: [], UserPromptSubmit: [{ matcher: '(', hooks: [] }] } };
    expect(() => parse(two)).toThrow(/hooks\.Nope[\s\S]*matcher/);
  });

  it('reports a file that cannot be read', () => {
    expect(() => readHooksFile('/nowhere/hooks.json', { timeoutMs: 1, environment: {} })).toThrow('HOOKS_FILE /nowhere/hooks.json cannot be read (ENOENT).');
  });
});
