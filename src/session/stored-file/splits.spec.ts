import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { claudeSession } from '../../../test/support/claude-sessions.js';
import { call, ClaudeFile, text, thinking } from '../../../test/support/claude-file.js';
import { KeptFile, withoutIds } from '../../../test/support/kept-file.js';
import { planned, SETTINGS } from '../../../test/support/planned-import.js';
import { messageErasure } from '../state/message-erasure.js';
import { StoredLines } from './stored-lines.js';
import { runs } from '../../../test/support/property-runs.js';

/** Cuts a list at the given places. */
function cut<T>(list: readonly T[], places: readonly number[]): readonly (readonly T[])[] {
  const at = [...new Set(places.map((place) => place % (list.length + 1)))].toSorted((one, other) => one - other);
  return [0, ...at].map((from, index) => list.slice(from, at[index] ?? list.length));
}

/** Lines whose parents are mostly the line before, and otherwise any earlier line; calls, results and answers are taken up again. */
const anyTree = fc
  .array(
    fc.record({
      kind: fc.constantFrom('prompt', 'answer', 'answer', 'call', 'result', 'result', 'attachment', 'progress', 'withdrawing', 'own', 'mode'),
      up: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(6) }),
      id: fc.nat(3),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((steps) => {
    const file = new ClaudeFile();
    const names: string[] = [];
    for (const [n, { kind, up, id }] of steps.entries()) {
      const parent = names.at(-1 - Math.min(up, Math.max(0, names.length - 1))) ?? null;
      const name = `l${n}`;
      if (kind !== 'mode') names.push(name);
      if (kind === 'prompt') file.user(name, parent, `prompt ${n}`);
      else if (kind === 'answer') file.piece(name, parent, `m${id}`, text(`answer ${n}`));
      else if (kind === 'call') file.piece(name, parent, `m${id}`, call(`t${id}`));
      else if (kind === 'result') file.user(name, parent, [{ type: 'tool_result', tool_use_id: `t${id}`, content: `result ${n}` }]);
      else if (kind === 'attachment') file.line('attachment', name, parent, { attachment: { type: 'queued_command', prompt: `queued ${n}` } });
      else if (kind === 'progress') file.line('progress', name, parent, { data: {} });
      else if (kind === 'withdrawing') file.piece(name, parent, `w${n}`, text('again'), { supersedesUuids: parent === null ? [] : [ClaudeFile.uuid(parent)] });
      else if (kind === 'own') file.piece(name, parent, `o${n}`, text('API Error: 500'), { isApiErrorMessage: true });
      else file.state('mode', { mode: 'default', n });
    }
    return file;
  });

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

  it('makes it for any tree of lines, also line by line', () => {
    fc.assert(
      fc.property(anyTree, fc.option(cuts), (file, places) => {
        const kept = new KeptFile();
        for (const part of places === null ? file.lines.map((line) => [line]) : cut(file.lines, places)) kept.append(part);
        expectLikeImport(kept, file.lines);
      }),
      runs(500),
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

  it('loses a message with every copy of it that is on another branch', () => {
    let copies = 0;
    // A result that stands elsewhere once a further one has come: what is below it is copied.
    const moved = new ClaudeFile()
      .user('u1', null, 'one')
      .piece('a1', 'u1', 'm1', call('t1'))
      .result('r1', 'a1', 't1', 'first')
      .piece('b1', 'r1', 'm2', text('Two.'));
    moved.piece('a2', 'a1', 'm1', call('t2')).result('r2', 'a2', 't2', 'second').piece('c1', 'r2', 'm3', text('Done.'));
    fc.assert(
      fc.property(anyTree, (file) => {
        const kept = new KeptFile();
        for (const line of file.lines) kept.append([line]);
        const uuids = new Map<string, Set<string>>();
        const written = kept.events.flatMap((event) => (event.type === 'lines.appended' ? event.data.messages : []));
        for (const { name, uuid } of written) uuids.set(name, (uuids.get(name) ?? new Set()).add(uuid));
        for (const together of uuids.values()) {
          copies += together.size - 1;
          for (const uuid of together) expect(messageErasure(kept.state, uuid)!.messages).toEqual(expect.arrayContaining([...together]));
        }
      }),
      { ...runs(300), examples: [[moved]] },
    );
    expect(copies).toBeGreaterThan(0);
  });

  it('adds further lines of an answer to its message, and to no branch', () => {
    const file = new ClaudeFile().user('u1', null, 'question');
    file.piece('a1', 'u1', 'm1', thinking('hm')).piece('a2', 'a1', 'm1', text('Yes.'), { stop: 'end_turn' });
    const kept = new KeptFile();
    for (const line of file.lines) kept.append([line]);
    expectLikeImport(kept, file.lines);
    expect([kept.state.messages.size, kept.state.restores.length]).toEqual([2, 0]);
  });

  it('moves the head to where a line of the file sets it, and stays there', () => {
    const file = new ClaudeFile().user('u1', null, 'one').piece('a1', 'u1', 'm1', text('One.')).user('u2', 'a1', 'two').piece('a2', 'u2', 'm2', text('Two.'));
    file.state('last-prompt', { explicit: true, leafUuid: ClaudeFile.uuid('a1') }).state('mode', { mode: 'default' });
    const kept = new KeptFile();
    for (const line of file.lines) kept.append([line]);
    expectLikeImport(kept, file.lines);
    expect(kept.state.head).toBe(ClaudeFile.uuid('a1'));
    expect(kept.state.restores.length).toBe(1);
  });

  it('begins a branch where a line continues an earlier one', () => {
    const file = new ClaudeFile().user('u1', null, 'one').piece('a1', 'u1', 'm1', text('One.')).user('u2', 'a1', 'two').piece('a2', 'u2', 'm2', text('Two.'));
    file.user('u3', 'a1', 'three').piece('a3', 'u3', 'm3', text('Three.'));
    const kept = new KeptFile();
    for (const line of file.lines) kept.append([line]);
    expectLikeImport(kept, file.lines);
    expect(kept.path.length).toBe(4);
  });

  it('plans the whole file where a line takes another result for a call', () => {
    const file = new ClaudeFile().user('u1', null, 'one').piece('a1', 'u1', 'm1', call('t1')).result('r1', 'a1', 't1', 'first');
    file.result('r2', 'a1', 't1', 'beside').result('r3', 'r1', 't1', 'again').piece('b1', 'r3', 'm2', text('Done.'));
    const kept = new KeptFile();
    for (const line of file.lines) kept.append([line]);
    expectLikeImport(kept, file.lines);
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
