import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contextOf } from '../../../test/support/normalize/build.js';
import { hostileTranscript } from '../../../test/support/normalize/hostile.js';
import { runs } from '../../../test/support/property-runs.js';
import { NO_CONTENT, RESULT_MISSING } from '../../protocol/message/wire-texts.js';
import { CONTINUE, CONVERSATION_BEGINS, TOOLS_LOADED } from '../placeholders.js';
import type { PassContext } from '../pass.js';
import { isAdded, lift, type Working } from '../working-message.js';
import { PASSES } from './index.js';

const everything = { 'tool-reference-relocation': false, 'system-reminder-folding': true, 'history-snip': true, 'tool-search': true, advisor: false };
/** The first takes no message of the role `system`, the second does. */
const contexts = ['claude-opus-4-6', 'claude-opus-5'].map((model) => contextOf({ model, gates: everything, tools: new Set(['Read']) }));
const aContext = fc.constantFrom(...contexts);
const PLACEHOLDERS = [NO_CONTENT, RESULT_MISSING, CONTINUE, CONVERSATION_BEGINS, TOOLS_LOADED];

/** What reaches the pass at `index` of the pipeline. */
const before = (messages: Working, index: number, context: PassContext): Working =>
  PASSES.slice(0, index).reduce((working, pass) => pass.apply(working, context), messages);

const sourcesIn = (messages: Working) => new Set(messages.flatMap(({ blocks }) => blocks.flatMap(({ sources }) => sources)));

describe.each(PASSES.map((pass, index) => [pass.name, pass, index] as const))('%s, for whatever comes before it', (_name, pass, index) => {
  it('does nothing the second time', () => {
    fc.assert(
      fc.property(hostileTranscript, aContext, (messages, context) => {
        const once = pass.apply(before(lift(messages), index, context), context);
        expect(pass.apply(once, context)).toBe(once);
      }),
      runs(),
    );
  });

  it('makes up nothing but named placeholders, and brings nothing back', () => {
    fc.assert(
      fc.property(hostileTranscript, aContext, (messages, context) => {
        const working = before(lift(messages), index, context);
        const known = sourcesIn(working);
        const old = new Set(working.flatMap(({ blocks }) => blocks));
        for (const { blocks } of pass.apply(working, context)) {
          for (const one of blocks) {
            expect(one.sources.every((source) => known.has(source) || isAdded(source))).toBe(true);
            if (!one.sources.every(isAdded) || old.has(one)) continue;
            const { block } = one;
            expect(PLACEHOLDERS).toContain(block.type === 'text' ? block.text : block.type === 'tool_result' ? block.content : block);
          }
        }
      }),
      runs(),
    );
  });
});

it('no two passes share a name, and each names its file', () => {
  expect(new Set(PASSES.map(({ name }) => name)).size).toBe(PASSES.length);
  expect(PASSES.every(({ name }) => /^[a-z-]+$/.test(name))).toBe(true);
});
