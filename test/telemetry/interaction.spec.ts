import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { PrometheusTelemetry } from '../../src/platform/telemetry/prometheus-telemetry.js';
import type { Sessions } from '../../src/ports/index.js';
import { evolve } from '../../src/session/state/evolve.js';
import { emptyState } from '../../src/session/state/state.js';
import { TurnTrace } from '../../src/engine/turn/turn-trace.js';

const ids = { tenantId: randomUUID(), sessionId: randomUUID(), turnId: randomUUID() };
const submission = { promptId: randomUUID(), turnId: ids.turnId, uuid: randomUUID(), mode: 'prompt' as const, original: 'x', value: 'x', workload: 'nightly' };

/** A session in which the turn has started. */
function sessions(): { readonly sessions: Sessions; loads: number } {
  const state = emptyState();
  const event = { id: '', time: '2020-01-01T00:00:00.000Z', sessionId: ids.sessionId, actor: { kind: 'system' as const, id: 'x' } };
  evolve(state, { ...event, seq: 1, type: 'prompt.submitted', data: { submission, disposition: 'started' } });
  evolve(state, { ...event, seq: 2, type: 'turn.started', data: { turnId: ids.turnId, promptId: submission.promptId } });
  const source = { loads: 0, sessions: undefined as unknown as Sessions };
  const load = async () => {
    source.loads += 1;
    return state;
  };
  source.sessions = { load } as unknown as Sessions;
  return source;
}

it('a turn runs with the ids and the workload of its job, without reading the log', async () => {
  const telemetry = new PrometheusTelemetry();
  const source = sessions();
  const fields = await new TurnTrace(source.sessions, telemetry).during({ ...ids, promptId: 'p', workload: 'batch' }, async () => telemetry.fields());
  expect(fields).toEqual({ ...ids, promptId: 'p', workload: 'batch' });
  expect(source.loads).toBe(0);
});

it('a job with ids only reads the rest from the log', async () => {
  const telemetry = new PrometheusTelemetry();
  const fields = await new TurnTrace(sessions().sessions, telemetry).during(ids, async () => telemetry.fields());
  expect(fields).toEqual({ ...ids, promptId: submission.promptId, workload: 'nightly' });
});

it('counts running turns, whatever their outcome', async () => {
  const telemetry = new PrometheusTelemetry();
  const interaction = new TurnTrace(sessions().sessions, telemetry);
  const running = async (): Promise<string | undefined> => /^verbatim_turns_running (\d+)$/m.exec((await telemetry.exposition()).text)?.[1];
  const during = interaction.during(ids, () => interaction.during(ids, running));
  expect(await during).toBe('2');
  await expect(interaction.during(ids, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  expect(await running()).toBe('0');
});
