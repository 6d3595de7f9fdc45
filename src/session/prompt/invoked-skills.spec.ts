import { describe, expect, it } from '@jest/globals';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { utf8Length } from '../../../packages/protocol/message/text.js';
import { invokedSkills, MAX_INVOKED_SKILL_BYTES, MAX_INVOKED_SKILLS_BYTES } from './invoked-skills.js';

const AT = '2030-01-01T00:00:00.000Z';
const called = (skill: string, body: string, text: string): readonly StoredMessage[] => [
  { type: 'user', uuid: body, parentUuid: null, timestamp: AT, content: text, isMeta: true },
  {
    type: 'attachment',
    uuid: `${body}-p`,
    parentUuid: body,
    timestamp: AT,
    attachment: { type: 'command_permissions', skill, allowedTools: [], model: null, body },
  },
];
const byModel = (skill: string, text: string): StoredMessage => ({
  type: 'attachment',
  uuid: `${skill}-m`,
  parentUuid: null,
  timestamp: AT,
  attachment: { type: 'command_permissions', skill, allowedTools: [], model: null, toolUseId: 'toolu_1', text },
});

describe('skills that were called', () => {
  it('are told once each, as they were called last, the last one first', () => {
    const messages = [...called('a', '1', 'old a'), ...called('b', '2', 'b'), byModel('c', 'c'), ...called('a', '3', 'new a')];
    expect(invokedSkills(messages)).toEqual([
      { name: 'a', text: 'new a' },
      { name: 'c', text: 'c' },
      { name: 'b', text: 'b' },
    ]);
  });

  it('are cut, each and all together, between characters', () => {
    const messages = Array.from({ length: 8 }, (_, index) => called(`s${index}`, String(index), '🧵é'.repeat(2_000))).flat();
    const found = invokedSkills(messages);
    expect(found.map(({ name }) => name)).toEqual(['s7', 's6', 's5', 's4', 's3']);
    for (const { text } of found) {
      expect(utf8Length(text)).toBeLessThanOrEqual(MAX_INVOKED_SKILL_BYTES);
      expect(text.isWellFormed()).toBe(true);
    }
    expect(found.reduce((sum, { text }) => sum + utf8Length(text), 0)).toBeLessThanOrEqual(MAX_INVOKED_SKILLS_BYTES);
  });

  it('are none where the text is gone, or where attachments only look alike', () => {
    const [, permissions] = called('a', '1', 'gone');
    const odd: StoredMessage = { type: 'attachment', uuid: 'o', parentUuid: null, timestamp: AT, attachment: { type: 'command_permissions' } };
    expect(invokedSkills([permissions as StoredMessage, odd])).toEqual([]);
  });
});
