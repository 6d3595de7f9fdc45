import { describe, expect, it } from '@jest/globals';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { ClientFindings } from './client-findings.js';
import { canonicalMessage } from '../../../packages/protocol/request/canonical.js';
import { JOINED_CHARACTERS, type TranscriptPart, TranscriptParts } from './transcript-parts.js';

/** Of the form of a digest. */
const digestOf = (text: string): string => text.length.toString(16).padStart(64, '0');
const place = { parentUuid: null, timestamp: '2026-01-01T00:00:00.000Z' };
const user = (uuid: string, words: string): StoredMessage => ({ type: 'user', uuid, ...place, content: words });
const answer = { type: 'assistant', uuid: 'a', ...place, message: { id: 'm', role: 'assistant', model: 'x', content: [] } } as unknown as StoredMessage;

function partsOf(messages: readonly StoredMessage[]): readonly TranscriptPart[] {
  const parts = new TranscriptParts();
  return messages.flatMap((message) => [...parts.of(message)]);
}
const joined = (messages: readonly StoredMessage[]): readonly string[] => partsOf(messages).map(({ uuids }) => uuids.join(' '));

describe('what a request may have of a transcript', () => {
  it('is each message, and following messages of the user as one, up to the answer before', () => {
    expect(joined([user('1', 'x'), user('2', 'y'), user('3', 'z'), answer, user('4', 'w')])).toEqual(['1', '2', '1 2', '3', '2 3', '1 2 3', 'a', '4']);
  });

  it('is an answer also without the members of its calls that requests do not have', () => {
    const call = { type: 'tool_use', id: 't', name: 'Bash', input: { caller: 1 } };
    const called = { ...answer, message: { content: [{ ...call, caller: { type: 'direct' } }] } } as unknown as StoredMessage;
    expect(partsOf([called]).map(({ message }) => message['content'])).toEqual([[{ ...call, caller: { type: 'direct' } }], [call]]);
  });

  it('is an attachment as the model saw it, by its role and as a message of the user', () => {
    const seen = { type: 'attachment', uuid: 'e', ...place, attachment: { type: 'environment' }, rendered: [{ content: 'Linux' }], renderedRole: 'system' };
    const [part, reminded] = partsOf([seen as unknown as StoredMessage]);
    expect(part).toMatchObject({ message: { role: 'system', content: 'Linux' }, uuids: ['e'] });
    expect(reminded!.message).toMatchObject({ role: 'user', content: [{ type: 'text', text: expect.stringContaining('Linux') }] });
  });

  it('costs what its messages cost a few times, however long they are and however many follow', () => {
    const cost = (count: number, characters: number): number => {
      const messages = Array.from({ length: count }, (_, index) => user(String(index), 'x'.repeat(characters)));
      return partsOf(messages).reduce((sum, { message }) => sum + JSON.stringify(message).length, 0) / (count * characters);
    };
    expect(cost(100, 1_000)).toBeLessThan(150);
    expect(cost(40, 300_000)).toBeLessThan(20);
    expect(cost(6, 5_000_000)).toBeLessThan(2);
    expect(joined([user('1', 'x'.repeat(300_000)), user('2', 'y'.repeat(300_000)), user('3', 'z')])).toEqual(['1', '2', '1 2', '3', '2 3', '1 2 3']);
  });

  it('has the canonical form of its message', () => {
    const marked = { type: 'text', text: 'y', cache_control: { type: 'ephemeral' } } as never;
    for (const { message, canonical } of partsOf([user('1', 'x'), { ...user('2', ''), content: [marked, marked] } as StoredMessage, answer])) {
      expect(canonical).toBe(canonicalMessage(message));
    }
  });

  it('costs at most four times what a long session is long, however many long messages of the user follow each other', () => {
    for (const [count, characters] of [
      [64, 1_000_000],
      [3_000, 30_000],
      [300, 500_000],
    ] as const) {
      const parts = new TranscriptParts();
      let cost = 0;
      for (let index = 0; index < count; index += 1) {
        for (const { canonical } of parts.of(user(String(index), 'x'.repeat(characters)))) cost += canonical.length;
      }
      expect(cost).toBeLessThan(JOINED_CHARACTERS + 4.1 * count * characters);
      expect(parts.isCut).toBe(true);
    }
  });
});

describe('what a file says about its requests', () => {
  const fileOf = (hash: string, messages: readonly StoredMessage[]) => {
    const findings = new ClientFindings(digestOf);
    findings.line(1, { type: 'api-request', id: 'r', tail: [hash], shapeHash: 'c'.repeat(64) });
    const hashed = messages.map((message) => findings.message(message));
    return { findings: findings.report()!.findings.filter(({ hash: of }) => of === hash), hashed };
  };

  it('is compared until the last hash is found', () => {
    const { findings, hashed } = fileOf(digestOf(canonicalMessage({ role: 'user', content: 'x' })), [user('1', 'x'), user('2', 'y')]);
    expect(findings).toEqual([]);
    expect(hashed).toEqual([canonicalMessage({ role: 'user', content: 'x' }).length, 0]);
  });

  it('says so when messages were too long to be joined in every way', () => {
    const long = Array.from({ length: 20 }, (_, index) => user(String(index), 'x'.repeat(1_000_000)));
    expect(fileOf('b'.repeat(64), long).findings).toMatchObject([{ reason: expect.stringContaining('too long to try every way') }]);
    expect(fileOf('b'.repeat(64), [user('1', 'x')]).findings).toMatchObject([{ reason: expect.stringMatching(/follows from its messages$/) }]);
  });

  it('is wrong where requests continue each other in a circle, or one that is wrong', () => {
    const findings = new ClientFindings(digestOf);
    const link = (line: number, id: string, base: string | null, keep: number): void =>
      findings.line(line, { type: 'api-request', id, base, keep, tail: [null], shapeHash: 'c'.repeat(64) });
    for (const [line, id, base, keep] of [
      [1, 'a', 'b', 1],
      [2, 'b', 'a', 1],
      [3, 'c', 'b', 1],
      [4, 'root', null, 0],
      [5, 'greedy', 'root', 9],
      [6, 'after', 'greedy', 5],
    ] as const) {
      link(line, id, base, keep);
    }
    for (let line = 7; line < 10_000; line += 1) link(line, `n${line}`, line === 7 ? 'root' : `n${line - 1}`, 1);
    const wrong = findings.report()!.findings.filter(({ reason }) => /continues|keeps/.test(reason));
    expect(wrong.map(({ line }) => line)).toEqual([1, 2, 3, 5, 6]);
  });
});
