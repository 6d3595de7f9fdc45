import { describe, expect, it } from '@jest/globals';
import { answer, AT, prepare, send, session, submit } from '../../../test/support/given-session.js';
import type { Command } from '../state/commands.js';
import { FAMILIES } from '../../../packages/normalizer/models/families.js';
import { modelOfAlias } from '../../../packages/normalizer/models/aliases.js';
import { isKnownModel } from '../../../packages/normalizer/models/profiles.js';
import { grantedByCommands, modelInForce } from './granted-by-commands.js';

const permitting = (n: number, ...permissions: readonly { readonly allowedTools: readonly string[]; readonly model: string | null }[]): Command => {
  const { messages, ...rest } = prepare(n) as Extract<Command, { type: 'PrepareTurn' }>;
  const attached = permissions.map((each, index) => ({
    type: 'attachment' as const,
    uuid: `x${n}-${index}`,
    timestamp: AT,
    attachment: { type: 'command_permissions', skill: `s${index}`, body: 'b', ...each },
  }));
  return { ...rest, messages: [...messages, ...attached] };
};

describe('what commands of the running turn bring about', () => {
  it('is permitted, and the model asked, for that turn only', () => {
    const scene = session();
    scene.when({ type: 'ConfigureSession', changes: { model: 'claude-sonnet-5-5' } });
    scene.when(submit(1));
    expect(grantedByCommands(scene.state)).toEqual([]);
    scene.when(permitting(1, { allowedTools: ['Read', 'Bash(git:*)'], model: 'claude-opus-4-5' }, { allowedTools: ['Read'], model: null }));
    expect(grantedByCommands(scene.state)).toEqual(['Read', 'Bash(git:*)']);
    expect(modelInForce(scene.state)).toBe('claude-opus-4-5');
    scene.when(send(scene, 1));
    scene.when(answer(1));
    expect(grantedByCommands(scene.state)).toEqual([]);
    expect(modelInForce(scene.state)).toBe('claude-sonnet-5-5');
    scene.when(submit(2));
    scene.when(prepare(2));
    expect(modelInForce(scene.state)).toBe('claude-sonnet-5-5');
  });

  it("asks the newest of a line by its short name, where the session's provider has it", () => {
    for (const [own, expected] of [
      ['claude-sonnet-5-5', 'claude-haiku-5-5'],
      ['us.anthropic.claude-sonnet-5-5-v1:0', 'us.anthropic.claude-sonnet-5-5-v1:0'],
    ]) {
      const scene = session();
      scene.when({ type: 'ConfigureSession', changes: { model: own as string } });
      scene.when(submit(1));
      scene.when(permitting(1, { allowedTools: [], model: 'haiku' }));
      expect(modelInForce(scene.state)).toBe(expected);
    }
  });

  it('knows short names of known models, the newest ones', () => {
    for (const line of ['opus', 'sonnet', 'haiku']) {
      const model = modelOfAlias(line) ?? '';
      expect(isKnownModel(model)).toBe(true);
      const versions = Object.keys(FAMILIES)
        .filter((key) => key.startsWith(`${line}-`))
        .map((key) =>
          key
            .slice(line.length + 1)
            .split('-')
            .map(Number),
        );
      const newest = versions.sort(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d).at(-1);
      expect(model).toBe(`claude-${line}-${newest?.join('-')}`);
    }
    expect(modelOfAlias('constructor')).toBeNull();
  });
});
