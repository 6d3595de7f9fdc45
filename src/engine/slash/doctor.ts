import { VERSION } from '../../../packages/protocol/version.js';
import { NORMALIZER } from '../../../packages/normalizer/build-payload.js';
import type { ClientCommand } from './slash-command.js';

/** A dependency that does not answer within this many milliseconds is reported as down. */
const TIMEOUT_MS = 2_000;

export const doctor: ClientCommand = {
  kind: 'client',
  name: 'doctor',
  description: 'Check what the server needs: database, queue, live updates, model; versions and gates',
  bridgeSafe: false,
  answer: async ({ accounts, queue, live, model, gates, tenantId }) => {
    const reached = { database: accounts.ping(), queue: queue.ping(), live: live.ping() };
    const states = await Promise.all(Object.entries(reached).map(async ([name, answer]) => [name, await stateOf(answer)] as const));
    const known = { ...(await gates.snapshot(tenantId)), ...(await gates.intake(tenantId)) };
    const on = Object.entries(known).flatMap(([name, enabled]) => (enabled ? [name] : []));
    const checks = Object.fromEntries(states);
    const versions = { server: VERSION, normalizer: NORMALIZER };
    const text = [
      ...states.map(([name, state]) => `${name}: ${state}`),
      `model: ${model.provider}`,
      `server ${VERSION}, normalizer ${NORMALIZER}`,
      `gates: ${on.length === 0 ? 'none on' : on.join(', ')}`,
    ].join('\n');
    return { display: { type: 'doctor', text, checks, model: model.provider, versions, gates: on } };
  },
};

async function stateOf(answer: Promise<unknown>): Promise<'up' | 'down'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'down'>((resolve) => (timer = setTimeout(resolve, TIMEOUT_MS, 'down')));
  const inTime = answer.then(
    () => 'up' as const,
    () => 'down' as const,
  );
  return Promise.race([inTime, late]).finally(() => clearTimeout(timer));
}
