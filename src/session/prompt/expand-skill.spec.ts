import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Expandable, expandSkill, MAX_MENTIONS, mentionsOf, skillText } from './expand-skill.js';

const skill = (body: string, more: Partial<Expandable> = {}): Expandable => ({
  name: 'commit',
  body,
  directory: '/skills/commit',
  allowedTools: ['Bash(git commit:*)'],
  model: 'opus',
  argumentNames: [],
  ...more,
});
const text = (body: string, args = '', more: Partial<Expandable> = {}): string =>
  skillText(skill(body, { directory: null, ...more }), { args, sessionId: 's-1' });

describe("arguments in a skill's text", () => {
  it.each([
    ['all: $ARGUMENTS.', 'a  b', 'all: a  b.'],
    ['$1 then $2', 'a b', 'a then b'],
    ['$0 then $1', 'a b', 'a then b'],
    ['$ARGUMENTS[0] then $ARGUMENTS[1] and $1', 'a b', 'a then b and b'],
    ['$1|$2', '"two words" \'and three\'', 'two words|and three'],
    ['$1 $2', "don't stop", "don't stop"],
    ['$1|$3', 'a b', 'a|'],
    ['none: $ARGUMENTS', '', 'none: '],
    ['$10', 'a b c d e f g h i ten', 'ten'],
    ['plain', 'a b', 'plain\n\nARGUMENTS: a b'],
    ['plain', '', 'plain'],
    ['$ARGUMENTS_LEFT $HOME $ 5 $', 'x', '$ARGUMENTS_LEFT $HOME $ 5 $\n\nARGUMENTS: x'],
    ['price \\$1, \\$ARGUMENTS: $1', 'x', 'price $1, $ARGUMENTS: x'],
    ['session ${CLAUDE_SESSION_ID}', '', 'session s-1'],
    ['${OTHER} ${CLAUDE_SKILL_DIR}', '', '${OTHER} ${CLAUDE_SKILL_DIR}'],
    ['!`rm -rf /` stays', '', '!`rm -rf /` stays'],
  ])('%j with %j', (body, args, expected) => {
    expect(text(body, args)).toBe(expected);
  });

  it('go by name where the skill names them', () => {
    expect(text('$from to $to, $other', 'a b', { argumentNames: ['from', 'to'] })).toBe('a to b, $other');
  });

  it('are put in as they are, whatever they hold', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('$&', '$1', '$`', '$$', '$ARGUMENTS', '${CLAUDE_SKILL_DIR}', '${CLAUDE_SESSION_ID}', '$ARGUMENTS[0]', '\\$1'),
    );
    fc.assert(fc.property(hostile, (args) => expect(text('<$ARGUMENTS|$ARGUMENTS>', args)).toBe(`<${args}|${args}>`)));
    expect(text('$1 $2', '$2 ${CLAUDE_SESSION_ID}')).toBe('$2 ${CLAUDE_SESSION_ID}');
  });
});

describe('files that are named', () => {
  it('are found in arguments and text, each once', () => {
    const found = mentionsOf(
      skill('Read @notes/style.md, then @"with space.md" and (@${CLAUDE_SKILL_DIR}/ref.md). @notes/style.md'),
      'mail a@b.c @notes/style.md @x',
    );
    expect(found).toEqual([
      { path: 'notes/style.md', bySkill: true },
      { path: 'x', bySkill: false },
      { path: 'with space.md', bySkill: true },
      { path: 'ref.md', bySkill: true },
    ]);
  });

  it('are only so many', () => {
    const body = Array.from({ length: 50 }, (_, index) => `@file-${index}`).join(' ');
    expect(mentionsOf(skill(body), '')).toHaveLength(MAX_MENTIONS);
  });
});

describe('a skill that a person called', () => {
  const place = () => {
    let count = 0;
    return { uuid: 'prompt', permissionMode: 'plan' as const, at: '2030-01-01T00:00:00.000Z', freshUuid: () => `fresh-${(count += 1)}` };
  };

  it('is a header, its text, what was found, and what it permits', () => {
    const file = { type: 'skill_file', skill: 'commit', path: 'a.md', content: 'A' };
    const messages = expandSkill(skill('Do it in ${CLAUDE_SKILL_DIR}.'), { args: 'fix typo', sessionId: 's' }, [file], [], place());
    const timestamp = '2030-01-01T00:00:00.000Z';
    expect(messages).toEqual([
      {
        type: 'user',
        uuid: 'prompt',
        timestamp,
        content: '<command-message>commit</command-message>\n<command-name>/commit</command-name>\n<command-args>fix typo</command-args>',
        permissionMode: 'plan',
      },
      {
        type: 'user',
        uuid: 'fresh-1',
        timestamp,
        isMeta: true,
        content: 'Base directory for this skill: /skills/commit\n\nDo it in /skills/commit.\n\nARGUMENTS: fix typo',
      },
      { type: 'attachment', uuid: 'fresh-2', timestamp, attachment: file },
      {
        type: 'attachment',
        uuid: 'fresh-3',
        timestamp,
        attachment: { type: 'command_permissions', skill: 'commit', allowedTools: ['Bash(git commit:*)'], model: 'opus', body: 'fresh-1' },
      },
    ]);
  });

  it('shows readers the files of the prompt, with their numbers', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.test/a.png' } } as const;
    const called = { ...place(), imagePasteIds: [4] };
    const [typed, body] = expandSkill(skill('Look.', { directory: null }), { args: '', sessionId: 's' }, [], [image], called);
    expect(typed).toMatchObject({ content: [{ type: 'text', text: expect.stringContaining('/commit') }, image], imagePasteIds: [4] });
    expect(body).toMatchObject({ content: 'Look.', isMeta: true });
  });
});
