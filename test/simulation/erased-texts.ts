import { Sessions } from '../../src/ports/index.js';
import type { SimulatedClient } from './client.js';
import type { SimulatedProcess } from './process.js';
import type { World } from './world.js';

/** No process that is up has a text in its folded sessions that is erased in the logs. */
export async function forgotten(world: World, clients: readonly SimulatedClient[]): Promise<void> {
  const erased = await erasedTexts(world, clients);
  for (const process of world.processes)
    for (const text of process.status === 'up' ? remembered(process, clients, erased) : [])
      world.violations.push(`${process.name} still has the erased text ${JSON.stringify(text)}`);
}

/** Texts of erased prompts that no log has any more: a regenerated prompt has the text of the one that it replaces. */
async function erasedTexts({ store }: World, clients: readonly SimulatedClient[]): Promise<readonly string[]> {
  const erased = clients.flatMap(({ told }) => told.erased);
  if (erased.length === 0) return [];
  const logs = await Promise.all(clients.map(({ tenantId, sessionId }) => store.events.load(tenantId, sessionId)));
  return erased.filter((text) => !mentions(logs, text));
}

/** Those that the folded sessions of a process contain. */
function remembered(process: SimulatedProcess, clients: readonly SimulatedClient[], erased: readonly string[]): readonly string[] {
  const sessions = process.injector.get(Sessions);
  return clients.flatMap(({ tenantId, sessionId }) => {
    const state = erased.length === 0 ? null : sessions.known(tenantId, sessionId);
    return state ? erased.filter((text) => mentions(state, text)) : [];
  });
}

function mentions(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.includes(text);
  if (typeof value !== 'object' || value === null) return false;
  const members: Iterable<unknown> = value instanceof Map ? [...value.keys(), ...value.values()] : value instanceof Set ? value : Object.values(value);
  for (const member of members) if (mentions(member, text)) return true;
  return false;
}
