import { describe, expect, it } from '@jest/globals';
import type { Content } from '../../../packages/protocol/message/content.js';
import { acceptSubmission, type ClientSubmission } from './accept.js';
import { argumentsOf, type KnownCommand, namedCommand, namesUltraplan, rejectionText, routeIn, routeOf } from './route.js';
import type { Route, Submission } from '../../../packages/protocol/message/submission.js';

const accept = (input: Content, more: Partial<ClientSubmission> = {}): Submission =>
  acceptSubmission({ mode: 'prompt', input, ...more }, { promptId: 'p', turnId: 't', uuid: 'u' }, { maxCharacters: 1_000 });

const KNOWN: readonly KnownCommand[] = [
  { name: 'help', kind: 'client', bridgeSafe: true, userInvocable: true },
  { name: 'config', kind: 'client', bridgeSafe: false, userInvocable: true },
  { name: 'cost', kind: 'local', bridgeSafe: true, userInvocable: true },
  { name: 'team:deploy', kind: 'prompt', bridgeSafe: true, userInvocable: true },
  { name: 'commit', kind: 'prompt', bridgeSafe: true, userInvocable: true },
  { name: 'background', kind: 'prompt', bridgeSafe: true, userInvocable: false },
  { name: 'exit', kind: 'exit', bridgeSafe: false, userInvocable: true },
];

function route(input: Content, more: Partial<ClientSubmission> = {}, ultraplan = false): Route {
  const submission = accept(input, more);
  return routeOf(submission, { command: KNOWN.find(({ name }) => name === namedCommand(submission)) ?? null, ultraplan });
}

const pasted = (content: string) => ({ pastedContents: { '1': { type: 'text' as const, content } } });

describe('the route of a submission', () => {
  it.each([
    ['hello', {}, { kind: 'prompt' }],
    [':q', {}, { kind: 'exit' }],
    [' quit\n', {}, { kind: 'exit' }],
    ['/exit', {}, { kind: 'exit' }],
    ['/quit', {}, { kind: 'exit' }],
    ['quit it', {}, { kind: 'prompt' }],
    ['/help', {}, { kind: 'command', command: 'client', name: 'help' }],
    ['/help me', {}, { kind: 'command', command: 'client', name: 'help' }],
    ['/team:deploy now', {}, { kind: 'command', command: 'prompt', name: 'team:deploy' }],
    ['/commit fix  the\ntypo', {}, { kind: 'command', command: 'prompt', name: 'commit' }],
    ['/nope', {}, { kind: 'rejected', name: 'nope', reason: 'unknown' }],
    ['/background', {}, { kind: 'rejected', name: 'background', reason: 'model_only' }],
    ['/var/log', {}, { kind: 'prompt' }],
    ['/var/log is full', {}, { kind: 'prompt' }],
    ['/etc.d', {}, { kind: 'prompt' }],
    ['/', {}, { kind: 'prompt' }],
    ['/ help', {}, { kind: 'prompt' }],
    ['ls', { mode: 'bash' }, { kind: 'bash' }],
    ['/help', { mode: 'bash' }, { kind: 'bash' }],
    ['exit', { mode: 'bash' }, { kind: 'bash' }],
  ] as const)('%j', (input, more, expected) => {
    expect(route(input, more)).toEqual(expected);
  });

  it('is plain text for clients that skip commands, exit words too', () => {
    for (const text of ['/help', '/nope', '/exit', 'exit', ':q']) expect(route(text, { skipSlashCommands: true })).toEqual({ kind: 'prompt' });
  });

  it('lets clients that control from afar run what is safe there, and answers what is not', () => {
    for (const more of [{ bridgeOrigin: true }, { bridgeOrigin: true, skipSlashCommands: true }]) {
      expect(route('/help', more)).toMatchObject({ kind: 'command', name: 'help' });
      expect(route('/commit x', more)).toMatchObject({ kind: 'command', name: 'commit' });
      expect(route('/config', more)).toEqual({ kind: 'rejected', name: 'config', reason: 'remote' });
      expect(route('/exit', more)).toEqual({ kind: 'rejected', name: 'exit', reason: 'remote' });
      expect(route('/nope', more)).toEqual({ kind: 'prompt' });
      expect(route('exit', more)).toEqual({ kind: 'prompt' });
    }
    expect(rejectionText({ kind: 'rejected', name: 'config', reason: 'remote' })).toContain('/config is not available over remote control');
  });

  it('is made by what was typed: pasted text fills arguments, and is never a command', () => {
    expect(route('/commit [Pasted text #1]', pasted('one\ntwo'))).toMatchObject({ name: 'commit' });
    for (const text of ['/help', '/exit', 'exit']) expect(route('[Pasted text #1]', pasted(text))).toEqual({ kind: 'prompt' });
  });

  it.each([
    ['/help', {}, ''],
    ['/help me', {}, 'me'],
    [' /commit fix  the\ntypo ', {}, 'fix  the\ntypo'],
    ['/commit [Pasted text #1]', pasted('one\ntwo'), 'one\ntwo'],
    ['/commit\t$1', {}, '$1'],
    [' an ultraplan [Pasted text #1]', pasted('all of it'), 'an ultraplan all of it'],
    [[{ type: 'text', text: ' /commit now ' }], {}, 'now'],
  ] as const)('%j is called with what follows, or with all of it', (input, more, expected) => {
    expect(argumentsOf(accept(input, more))).toBe(expected);
  });

  it('reads a command out of blocks', () => {
    expect(route([{ type: 'text', text: ' /commit now ' }])).toMatchObject({ name: 'commit' });
    expect(route([{ type: 'text', text: 'exit' }])).toEqual({ kind: 'exit' });
  });

  it('is what was recorded, or for what was recorded without one, what could have come of it then', () => {
    const submission = accept('/help');
    expect(routeIn({ ...submission, route: { kind: 'prompt' } })).toEqual({ kind: 'prompt' });
    expect(routeIn(submission)).toEqual({ kind: 'rejected', name: 'help', reason: 'unknown' });
    expect(routeIn(accept('an ultraplan'))).toEqual({ kind: 'prompt' });
  });
});

describe('the ultraplan keyword', () => {
  it.each(['ultraplan', 'Please ULTRAPLAN this.', '"ultraplan"', 'ultraplan, then go', 'do it (ultraplan)', 'wait for the\nultraplan.'])('is in %j', (text) => {
    expect(namesUltraplan(accept(text))).toBe(true);
    expect(route(text, {}, true)).toEqual({ kind: 'command', command: 'prompt', name: 'ultraplan' });
    expect(route(text, {}, false)).toEqual({ kind: 'prompt' });
  });

  it.each(['ultraplanner', 'megaultraplan', 'ultra plan', 'src/ultraplan.ts', 'ultraplan.md', 'my-ultraplan', 'ultraplan_2', 'ültraplan éultraplan'])(
    'is not in %j',
    (text) => {
      expect(route(text, {}, true)).toEqual({ kind: 'prompt' });
    },
  );

  it('counts only where it was typed: not pasted, not after a command; from a remote client, too', () => {
    expect(route('[Pasted text #1]', pasted('ultraplan'), true)).toEqual({ kind: 'prompt' });
    expect(route('ultraplan [Pasted text #1]', pasted('all of it'), true)).toMatchObject({ name: 'ultraplan' });
    expect(route('/commit ultraplan', {}, true)).toMatchObject({ name: 'commit' });
    expect(route('/var/log ultraplan', {}, true)).toEqual({ kind: 'prompt' });
    expect(route('ultraplan', { mode: 'bash' }, true)).toEqual({ kind: 'bash' });
    expect(route('ultraplan', { skipSlashCommands: true }, true)).toEqual({ kind: 'prompt' });
    for (const more of [{ bridgeOrigin: true }, { bridgeOrigin: true, skipSlashCommands: true }]) {
      expect(route('ultraplan', more, true)).toEqual({ kind: 'command', command: 'prompt', name: 'ultraplan' });
    }
  });
});
