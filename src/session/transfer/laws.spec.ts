import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planned } from '../../../test/support/planned-import.js';
import { checkRequest } from '../../../packages/normalizer/api-rules/index.js';
import { buildPayload } from '../../../packages/normalizer/build-payload.js';
import { profileFor } from '../../../packages/normalizer/models/profiles.js';
import { payloadInput } from '../payload/payload-input.js';
import { sessionLine } from './session-line.js';
import { exported } from '../../../test/support/histories.js';
import { DEFAULT_NORMALIZE_GATES } from '../../../packages/protocol/gates.js';
import { runs } from '../../../test/support/property-runs.js';

const name = fc.constantFrom(
  '00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-000000000002',
  '00000000-0000-4000-8000-000000000003',
  '00000000-0000-4000-8000-00000000000A',
  'short',
  '',
);
const id = fc.constantFrom('t1', 't2', 'm1', 'm2');
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.constantFrom('a', '', '\n', '\ud800') }),
  fc.record({ type: fc.constant('tool_use'), id, name: fc.constant('Bash'), input: fc.constant({}), caller: fc.constant({ type: 'direct' }) }),
  fc.record({ type: fc.constant('tool_result'), tool_use_id: id, content: fc.constantFrom('', 'out') }),
  fc.record({ type: fc.constant('thinking'), thinking: fc.constant(''), signature: fc.constant('sig') }),
  fc.record({ type: fc.string() }),
);
const content = fc.oneof({ weight: 5, arbitrary: fc.array(block, { maxLength: 3 }) }, fc.string(), fc.jsonValue());
const line = fc.record(
  {
    type: fc.constantFrom('user', 'user', 'assistant', 'assistant', 'system', 'attachment', 'progress', 'summary', 'tombstone', 'session', 'rewind', 'restore'),
    uuid: fc.oneof({ weight: 9, arbitrary: name }, fc.jsonValue()),
    parentUuid: fc.oneof({ weight: 9, arbitrary: fc.option(name) }, fc.jsonValue()),
    logicalParentUuid: name,
    timestamp: fc.constantFrom('2026-01-01T00:00:00.000Z', 'never'),
    isSidechain: fc.boolean(),
    isMeta: fc.boolean(),
    isApiErrorMessage: fc.oneof(fc.boolean(), fc.jsonValue()),
    subtype: fc.constantFrom('compact_boundary', 'local_command', 'api_error'),
    content,
    message: fc.oneof(
      { weight: 9, arbitrary: fc.record({ id, role: fc.string(), model: fc.constantFrom('claude-opus-4-5', '<synthetic>'), content }) },
      fc.jsonValue(),
    ),
    attachment: fc.oneof(fc.record({ type: fc.constantFrom('queued_command', 'hook_success', 'new_kind'), prompt: fc.jsonValue() }), fc.jsonValue()),
    origin: fc.jsonValue(),
    permissionMode: fc.oneof(fc.constant('plan'), fc.jsonValue()),
    imagePasteIds: fc.jsonValue(),
    id: name,
    to: fc.option(name),
    before: name,
    after: name,
    rewind: fc.option(name),
    removed: fc.array(name, { maxLength: 3 }),
    at: fc.constant('2026-01-01T00:00:00.000Z'),
  },
  { requiredKeys: ['type'] },
);
const file = fc
  .array(fc.oneof({ weight: 12, arbitrary: line.map((value) => JSON.stringify(value)) }, fc.string(), fc.json()), { maxLength: 14 })
  .map((lines) => lines.map((text) => text.replaceAll('\n', ' ')).join('\n'));

describe('import of an arbitrary file', () => {
  it('accounts for every line, and gives a tree of messages', () => {
    fc.assert(
      fc.property(file, (text) => {
        const { plan, state, path, beside } = planned(text);
        const { report } = plan;
        const messages = [...plan.messages()];
        expect(messages).toHaveLength(report.messages);
        const kept = Object.values(report.retained).reduce((sum, count) => sum + count, 0);
        const used = messages.flatMap(({ lines }) => lines);
        expect(new Set(used).size).toBe(used.length);
        const sessionLines = report.source === 'verbatim' && report.lines > used.length + report.moves + report.skippedTotal ? 1 : 0;
        expect(used.length + report.moves + kept + report.skippedTotal + sessionLines).toBe(report.lines);
        expect(new Set(report.skipped.map((skipped) => skipped.line)).size).toBe(report.skipped.length);

        expect(state.messages.size).toBe(messages.length);
        expect(path.length + beside.length).toBe(messages.length);
        expect(state.head).toBe(plan.head);
        const before = new Set<string>();
        for (const { uuid, parentUuid } of messages) {
          if (parentUuid !== null) expect(before.has(parentUuid)).toBe(true);
          before.add(uuid);
        }
      }),
      runs(2_000),
    );
  });

  it('gives a payload without rule violations, unless it is empty', () => {
    fc.assert(
      fc.property(file, (text) => {
        const { state } = planned(text);
        const { payload } = buildPayload(payloadInput(state, { gates: DEFAULT_NORMALIZE_GATES, maxTokens: 100, model: 'claude-opus-4-5' }), () =>
          '0'.repeat(64),
        );
        if (payload.messages.length > 0) expect(checkRequest(payload, profileFor(payload.model))).toEqual([]);
      }),
      runs(1_000),
    );
  });

  it('is reproduced by its own export', () => {
    fc.assert(
      fc.property(file, (text) => {
        const { plan, state, path } = planned(text);
        const lines = [sessionLine(plan.settings), ...path].map((value) => JSON.stringify(value));
        const copy = planned(lines.join('\n'));
        expect(copy.plan.report.skippedTotal).toBe(0);
        expect([sessionLine(copy.plan.settings), ...copy.path].map((value) => JSON.stringify(value))).toEqual(lines);
        const whole = planned(exported(state));
        expect(whole.plan.report.skippedTotal).toBe(0);
        expect(exported(whole.state)).toBe(exported(state));
      }),
      runs(1_000),
    );
  });
});
