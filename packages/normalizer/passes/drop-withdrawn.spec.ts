import { describe, expect, it } from '@jest/globals';
import { withdrawnIn } from '../../protocol/message/withdrawn.js';
import type { Message } from '../../protocol/message/message.js';
import { lift } from '../working-message.js';
import { dropWithdrawn } from './drop-withdrawn.js';

const at = { parentUuid: null, timestamp: '' };
const user = (uuid: string): Message => ({ type: 'user', uuid, ...at, content: uuid });
const note = (uuid: string, withdraws: readonly string[]): Message => ({ type: 'system', uuid, ...at, subtype: 'refusal', content: 'x', withdraws });
const left = (...messages: readonly Message[]) => dropWithdrawn.apply(lift(messages), {} as never).map(({ original }) => original?.uuid);

describe('drop-withdrawn', () => {
  it('removes what a note takes back, and nothing else', () => {
    expect(left(user('a'), user('b'), note('n', ['b', 'gone']), user('c'))).toEqual(['a', 'n', 'c']);
    expect(left(user('a'), note('n', []))).toEqual(['a', 'n']);
  });

  it('returns the same messages where there is no such note', () => {
    const messages = lift([user('a')]);
    expect(dropWithdrawn.apply(messages, {} as never)).toBe(messages);
    expect(withdrawnIn([{ ...note('n', []), withdraws: 'a' as never } as Message]).size).toBe(0);
  });
});
