import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readAnswer } from '../../src/engine/hooks/hook-answer.js';
import { verdictOf } from '../../packages/protocol/hooks/verdict.js';
import { HOOK_EVENTS } from '../../packages/protocol/hooks/hook-events.js';
import type { HookRun } from '../../packages/protocol/hooks/hook-run.js';

const LIMIT = 50;
const NOTICE = 100;
const event = fc.constantFrom(...HOOK_EVENTS);

const odd = fc.oneof(fc.jsonValue(), fc.constantFrom('allow', 'deny', 'ask', 'defer', 'block', 'approve', true, false, null, 'x'.repeat(200)));
const members = (names: readonly string[]) => fc.record(Object.fromEntries(names.map((name) => [name, odd])), { requiredKeys: [] });
const answer = fc
  .tuple(
    members(['continue', 'stopReason', 'systemMessage', 'decision', 'reason']),
    fc.option(members(['hookEventName', 'additionalContext', 'permissionDecision', 'permissionDecisionReason', 'updatedInput', 'updatedPrompt']), {
      nil: undefined,
    }),
  )
  .map(([top, hookSpecificOutput]) => JSON.stringify({ ...top, hookSpecificOutput }));

describe('a hook answer of any shape', () => {
  it('is valid or an error, holds only members that its event allows, and is truncated', () => {
    fc.assert(
      fc.property(
        event,
        fc.oneof(
          answer,
          fc.string({ unit: 'binary' }),
          answer.map((text) => text.slice(0, -1)),
        ),
        fc.constantFrom('context' as const, 'ignored' as const),
        (at, text, plain) => {
          const found = readAnswer(at, { text, length: text.length }, plain, LIMIT);
          expect(['success', 'blocked', 'prevented', 'non_blocking_error']).toContain(found.outcome);
          for (const said of [found.reason ?? '', found.additionalContext ?? '', found.systemMessage ?? '']) {
            if (found.outcome !== 'non_blocking_error') expect(said.length).toBeLessThanOrEqual(LIMIT + NOTICE);
          }
          if (at !== 'PreToolUse') expect([found.decision, found.updatedInput]).toEqual([undefined, undefined]);
          if (at !== 'UserPromptSubmit') expect(found.updatedPrompt).toBeUndefined();
          if (at === 'SessionStart') expect(found.outcome).not.toBe('blocked');
          // A denial and a block are one thing at PreToolUse, and an error decides nothing.
          if (at === 'PreToolUse') expect(found.decision === 'deny').toBe(found.outcome === 'blocked');
          if (found.outcome === 'non_blocking_error') {
            expect(verdictOf([found as HookRun])).toEqual({
              blocked: null,
              prevented: null,
              decision: null,
              decisionReason: null,
              updatedInput: null,
              updatedPrompt: null,
              contexts: [],
              notices: [],
            });
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
