import { expect } from '@jest/globals';
import type { Client, Loose } from './client.js';

/**
 * What must be true of a session whatever died on the way: every accepted prompt ended exactly once and in order, the log has no gaps and a valid chain,
 * every request is rebuilt byte for byte, and the payload of now is one the model takes.
 */
export async function expectNothingLost(client: Client, sessionId: string, prompts: readonly string[]): Promise<void> {
  const events = await client.events(sessionId);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  const submitted = events.filter((event) => event.type === 'prompt.submitted').map((event) => event.data.submission);
  expect(submitted.map((submission) => submission.promptId)).toEqual(prompts);
  const started = events.filter((event) => event.type === 'turn.started');
  expect(started.map((event) => event.data.promptId)).toEqual(prompts);
  const ended = events.filter((event) => ['turn.completed', 'turn.interrupted', 'turn.failed'].includes(event.type));
  expect(ended.map((event) => event.data.turnId)).toEqual(started.map((event) => event.data.turnId));

  const users = events.filter((event) => event.type === 'message.appended').map((event) => event.data.message.uuid);
  expect(new Set(users).size).toBe(users.length);
  // A compaction is a turn without a message of its own.
  for (const { uuid } of submitted.filter(({ mode }) => mode !== 'compact')) expect(users.filter((known) => known === uuid)).toHaveLength(1);

  const audit = (await client.get(`/v1/sessions/${sessionId}/audit`)).body;
  expect(audit).toMatchObject({ valid: true, events: events.length });
  const requests = (await client.get(`/v1/sessions/${sessionId}/requests`)).body.data;
  const verified = await Promise.all(requests.map((request: Loose) => client.get(`/v1/sessions/${sessionId}/requests/${request.requestId}`)));
  expect(verified.map((view) => view.body.verified)).toEqual(verified.map(() => true));
  expect((await client.get(`/v1/sessions/${sessionId}/payload`)).body.problems).toEqual([]);
}
