import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { claudeSession } from '../../../test/support/claude-sessions.js';
import { call, ClaudeFile, text, thinking } from '../../../test/support/claude-file.js';
import { KeptFile, withoutIds } from '../../../test/support/kept-file.js';
import { planned, SETTINGS } from '../../../test/support/planned-import.js';
import { StoredLines } from './stored-lines.js';
import { runs } from '../../../test/support/property-runs.js';

/** Cuts a list at the given places. */
function cut<T>(list: readonly T[], places: readonly number[]): readonly (readonly T[])[] {
  const at = [...new Set(places.map((place) => place % (list.length + 1)))].toSorted((one, other) => one - other);
  return [0, ...at].map((from, index) => list.slice(from, at[index] ?? list.length));
}

const cuts = fc.array(fc.nat(200), { maxLength: 40 });

function expectLikeImport(kept: KeptFile, lines: readonly string[]): void {
  const whole = planned(lines.map((line) => `${line}\n`).join(''));
  expect(kept.path).toEqual(withoutIds(whole.path));
  expect(kept.sent).toEqual(withoutIds(whole.sent));
  expect(kept.lines).toEqual(lines);
}

describe('a session file that is appended in parts', () => {
  it('makes the conversation that an import of the whole file makes, however it is cut', () => {
    fc.assert(
      fc.property(claudeSession, cuts, fc.boolean(), ({ file }, places, forgets) => {
        const kept = new KeptFile({ forgets });
        for (const part of cut(file.lines, places)) kept.append(part);
        expectLikeImport(kept, file.lines);
      }),
      runs(300),
    );
  });

  it('makes it when each process dies in the middle of an append, and the append is made again', () => {
    fc.assert(
      fc.property(claudeSession, cuts, fc.nat(3), ({ file }, places, steps) => {
        const kept = new KeptFile();
        for (const part of cut(file.lines, places)) {
          if (part.length === 0) continue;
          kept.append(part, steps + 1);
          // Lines without a uuid are in the log already: the idempotency key tells.
          kept.append([]);
        }
        expectLikeImport(kept, file.lines);
      }),
      runs(200),
    );
  });

  it('writes nothing when all of it is sent again', () => {
    fc.assert(
      fc.property(claudeSession, cuts, ({ file }, places) => {
        const lines = file.lines.filter((line) => line.includes('"uuid"'));
        const kept = new KeptFile();
        for (const part of cut(lines, places)) kept.append(part);
        const before = kept.events.length;
        for (const part of cut(lines, places)) expect(kept.append(part)).toBe(0);
        expect(kept.events.length).toBe(before);
      }),
      runs(100),
    );
  });

  it('adds further lines of an answer to its message, and to no branch', () => {
    const file = new ClaudeFile().user('u1', null, 'question');
    file.piece('a1', 'u1', 'm1', thinking('hm')).piece('a2', 'a1', 'm1', text('Yes.'), { stop: 'end_turn' });
    const kept = new KeptFile();
    for (const line of file.lines) kept.append([line]);
    expectLikeImport(kept, file.lines);
    expect([kept.state.messages.size, kept.state.restores.length]).toEqual([2, 0]);
  });

  it('plans the lines that continue a file alone, however long it is', () => {
    for (const length of [10, 2_000]) {
      const file = new ClaudeFile().user('u0', null, 'question');
      for (let n = 1; n <= length; n += 1) file.piece(`a${n}`, n === 1 ? 'u0' : `a${n - 1}`, `m${n}`, text(`answer ${n}`));
      const lines = new StoredLines({ maxMessageBytes: 1_000_000, keepsRefusedPrompts: false, uuid: (name) => name });
      const planned = (texts: readonly string[]): number => {
        for (const one of texts) lines.add({ text: one, value: JSON.parse(one) });
        return [...lines.plan(SETTINGS).messages()].length;
      };
      expect(planned(file.lines.slice(0, -3))).toBe(length - 2);
      lines.completed();
      expect(planned(file.lines.slice(-3, -1))).toBe(2);
      lines.completed();
      expect(planned(file.lines.slice(-1))).toBe(1);
      // What may be unwritten is planned again.
      expect(planned([])).toBe(length + 1);
    }
  });

  it('copies an answer that a request was made of before its further lines came', () => {
    const file = new ClaudeFile().user('u1', null, 'question').piece('a1', 'u1', 'm1', call('t1')).result('r1', 'a1', 't1', 'out');
    file.piece('a2', 'a1', 'm1', call('t2')).result('r2', 'a2', 't2', 'out').piece('b1', 'r2', 'm2', text('Done.'));
    const kept = new KeptFile();
    kept.append(file.lines.slice(0, 3));
    const uuid = ClaudeFile.uuid('a1');
    const before = kept.state.messages.get(uuid)!.message;
    kept.state.requests.set('r', { seq: kept.state.version } as never);
    kept.append(file.lines.slice(3));
    expectLikeImport(kept, file.lines);
    expect(kept.state.messages.get(uuid)!.message).toEqual(before);
  });

  it('keeps lines alone while a turn of the server runs, and writes their messages with the next append', () => {
    const file = new ClaudeFile()
      .user('u1', null, 'question')
      .piece('a1', 'u1', 'm1', text('Yes.'))
      .user('u2', 'a1', 'more')
      .state('mode', { mode: 'default' });
    const kept = new KeptFile();
    kept.append(file.lines.slice(0, 1));
    kept.state.status = 'closed';
    kept.append(file.lines.slice(1, 3));
    expect([kept.state.messages.size, kept.lines.length]).toEqual([1, 3]);
    kept.state.status = 'idle';
    kept.append(file.lines.slice(3));
    expectLikeImport(kept, file.lines);
  });
});
