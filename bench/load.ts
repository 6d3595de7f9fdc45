import type { Client } from '../test/support/client.js';
import type { EventReader } from '../test/support/event-reader.js';

/** Thirty words, and an answer of thirty. */
export const PROMPT = `{{long 30}}${' where is the time limit of the pool set'.repeat(3)}`;

/** Milliseconds from a prompt to the first delta and to the end of its turn. */
export interface Waits {
  readonly first: number[];
  readonly total: number[];
}

/** One session, one turn after another. */
export async function inTurn(client: Client, turns: number): Promise<Waits> {
  const waits: Waits = { first: [], total: [] };
  await converse(client, turns, waits);
  return waits;
}

/** Several sessions, spread over the clients. */
export async function atOnce(clients: readonly Client[], sessions: number, turns: number): Promise<Waits> {
  const waits: Waits = { first: [], total: [] };
  await Promise.all(Array.from({ length: sessions }, (_, index) => converse(clients[index % clients.length] as Client, turns, waits)));
  return waits;
}

/** Waits on the event stream, as a chat client does. `until`: no turn is begun after that time. */
export async function converse(client: Client, turns: number, { first, total }: Waits, until = Infinity): Promise<void> {
  const id = await client.session();
  const stream: EventReader = await client.stream(id);
  await stream.untilType('synced');
  for (let turn = 0; turn < turns && performance.now() < until; turn += 1) {
    const seen = stream.events.length;
    let index = 0;
    const started = performance.now();
    const accepted = client.prompt(id, PROMPT);
    await stream.until((event) => (index += 1) > seen && event.event === 'message.delta');
    first.push(performance.now() - started);
    const { turnId } = (await accepted).body;
    await stream.until((event) => event.event === 'turn.completed' && event.data.data.turnId === turnId);
    total.push(performance.now() - started);
  }
  stream.close();
}
