import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { TurnView } from '../../src/engine/queries/views.js';
import { StreamScene } from './support/stream-scene.js';

let scene: StreamScene;
beforeEach(async () => {
  scene = await StreamScene.start();
});
afterEach(() => scene.stop());

describe('waiting for a turn', () => {
  const turnId = randomUUID();
  const path = (wait: string) => `/v1/sessions/${scene.id}/turns/${turnId}${wait}`;
  const turn = (status: TurnView['status']): TurnView => ({
    version: 1,
    turnId,
    promptId: randomUUID(),
    status,
    startedAt: null,
    endedAt: null,
    stopReason: null,
    stopDetails: null,
    error: null,
    checkpoints: [],
    requests: [],
    toolCalls: [],
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, requests: 0 },
  });
  const waiting = async (): Promise<void> => {
    while (scene.edge.bus.size === 0) await new Promise(setImmediate);
  };

  it('answers at once without `wait`, and when it does not run', async () => {
    scene.edge.queries.turns.set(turnId, turn('running'));
    expect((await scene.edge.client.get(path(''))).body.status).toBe('running');
    scene.edge.queries.turns.set(turnId, turn('waiting'));
    expect((await scene.edge.client.get(path('?wait=60'))).body.status).toBe('waiting');
    expect((await scene.edge.client.get(`/v1/sessions/${scene.id}/turns/${randomUUID()}?wait=60`)).body.code).toBe('turn_not_found');
    expect((await scene.edge.client.get(path('?wait=x'))).body.code).toBe('invalid_input');
  });

  it.each(['queued', 'running'] as const)('answers as soon as a %s turn ends', async (status) => {
    scene.edge.queries.turns.set(turnId, turn(status));
    const answer = scene.edge.client.get(path('?wait=60'));
    await waiting();
    scene.happen({ type: 'turn.completed', data: { turnId: randomUUID(), stopReason: 'end_turn' } });
    scene.edge.queries.turns.set(turnId, turn('completed'));
    scene.happen({ type: 'turn.completed', data: { turnId, stopReason: 'end_turn' } });
    expect((await answer).body.status).toBe('completed');
    await scene.allFree();
  });

  it('answers when the time is over', async () => {
    scene.edge.queries.turns.set(turnId, turn('running'));
    expect((await scene.edge.client.get(path('?wait=1'))).body.status).toBe('running');
    await scene.allFree();
  });

  it('stops when the client leaves, and when the server does', async () => {
    scene.edge.queries.turns.set(turnId, turn('running'));
    const socket = await scene.rawClient(path('?wait=60'));
    await waiting();
    socket.destroy();
    await scene.allFree();
    const answer = scene.edge.client.get(path('?wait=60'));
    await waiting();
    const stopped = scene.edge.stop();
    // Answered with what is known, or cut off: both tell the client to ask again.
    await answer.catch(() => null);
    await stopped;
    expect(scene.edge.bus.size).toBe(0);
  });
});
