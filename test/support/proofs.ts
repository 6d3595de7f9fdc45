import { expect } from '@jest/globals';
import type { Client, UnknownObject } from './client.js';

/** Every request of a session, in full, each proven to be what was sent. */
export async function provenRequests(client: Client, sessionId: string): Promise<readonly UnknownObject[]> {
  const { data } = (await client.get(`/v1/sessions/${sessionId}/requests`)).body;
  const views = await Promise.all(
    data.map(async (request: UnknownObject) => (await client.get(`/v1/sessions/${sessionId}/requests/${request.requestId}`)).body),
  );
  expect(views.map(({ verified }) => verified)).toEqual(views.map(() => true));
  return views;
}

/** The chain is whole, and the model would take what would be sent now. */
export async function expectSound(client: Client, sessionId: string): Promise<void> {
  expect((await client.get(`/v1/sessions/${sessionId}/audit`)).body).toMatchObject({ valid: true });
  expect((await client.get(`/v1/sessions/${sessionId}/payload`)).body.problems).toEqual([]);
}

/** What would be sent now, as text. */
export async function payloadText(client: Client, sessionId: string): Promise<string> {
  return JSON.stringify((await client.get(`/v1/sessions/${sessionId}/payload`)).body.payload.messages);
}
