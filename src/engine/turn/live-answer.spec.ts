import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { LiveSignal } from '../../ports/index.js';
import { LiveAnswer } from './live-answer.js';

function scene(purpose: 'answer' | 'compaction' = 'answer') {
  const sent: unknown[] = [];
  let ask: (signal: LiveSignal) => void = () => undefined;
  const live = {
    publish: (signal: LiveSignal) => void sent.push(signal.kind === 'delta' ? signal.data : signal),
    subscribe: (_channel: string, listener: (signal: LiveSignal) => void) => {
      ask = listener;
      return () => (ask = () => undefined);
    },
  };
  const answer = new LiveAnswer(live, { sessionId: 's', turnId: 't', requestId: 'r' }, purpose);
  answer.publish({ index: 0, start: { type: 'text', text: '' } });
  answer.publish({ index: 0, delta: { type: 'text_delta', text: 'so far' } });
  const before = sent.length;
  return { answer, ask: (seq: number) => ask({ kind: 'advanced', sessionId: 'unfinished s', seq }), repeated: () => sent.slice(before) };
}

const WHOLE = { turnId: 't', requestId: 'r', index: 0, start: { type: 'text', text: 'so far' } };

describe('an answer that streams', () => {
  it('is sent once more, as far as it is written, at most once in a second, however often readers join', async () => {
    const { ask, repeated, answer } = scene();
    const begun = performance.now();
    while (performance.now() < begun + 900) {
      ask(1);
      await pause(20);
    }
    expect(repeated().length).toBeLessThanOrEqual(1 + (performance.now() - begun) / 1_000);
    while (repeated().length < 2) await pause(20);
    expect(repeated()).toEqual([WHOLE, WHOLE]);
    answer.end();
  });

  it('is not sent once more after a gap of the signals, after its end, or when it is a summary', async () => {
    const [gap, ended, summary] = [scene(), scene(), scene('compaction')];
    gap.ask(0);
    ended.ask(1);
    ended.answer.end();
    summary.ask(1);
    await pause(300);
    expect([gap, ended, summary].map(({ repeated }) => repeated())).toEqual([[], [], []]);
    gap.answer.end();
  });
});
