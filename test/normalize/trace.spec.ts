import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TraceEntry } from '../../packages/protocol/request/trace-entry.js';
import { view } from '../support/normalize/build.js';
import { anyGates } from '../support/normalize/gates.js';
import { hostileTranscript } from '../support/normalize/hostile.js';
import { runs } from '../support/property-runs.js';

interface Block {
  readonly name: string;
  /** Of its first part that is sent. */
  readonly place: number;
  readonly actions: ReadonlySet<string>;
}

/** The blocks that are sent, in the order of the conversation. */
function sentBlocks(trace: readonly TraceEntry[]): readonly Block[] {
  const blocks = new Map<string, { name: string; place: number; actions: Set<string> }>();
  for (const { source, action, target } of trace) {
    if (!source) continue;
    const name = `${source.uuid} ${source.index}`;
    const block = blocks.get(name) ?? { name, place: Infinity, actions: new Set<string>() };
    block.actions.add(action);
    if (target) block.place = Math.min(block.place, target.message * 10_000 + target.block);
    blocks.set(name, block);
  }
  return [...blocks.values()].filter(({ place }) => place !== Infinity);
}

it('says of each block that it moved when it is sent before one that it followed', () => {
  fc.assert(
    fc.property(hostileTranscript, anyGates, (messages, given) => {
      const { trace } = view(messages, { gates: { ...given, 'history-snip': false } });
      const blocks = sentBlocks(trace);
      const unsaid = blocks.filter(
        (block, at) => !block.actions.has('moved') && !block.actions.has('merged') && blocks.slice(0, at).some(({ place }) => place > block.place),
      );
      expect(unsaid.map(({ name, actions }) => [name, ...actions])).toEqual([]);
    }),
    runs(300),
  );
});
