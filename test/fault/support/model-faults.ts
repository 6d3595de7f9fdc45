import type { Fault } from '../../support/stand-in-server.js';
import { until } from '../../support/until.js';
import type { Deployment } from './deployment.js';
import type { Causes } from './causes.js';

/** Faults of the model API. The requests after a client error are not retried. */
const FAULTS = {
  'model-400': { kind: 'error-response', status: 400 },
  'model-429': { kind: 'error-response', status: 429 },
  'model-500': { kind: 'error-response', status: 500 },
  'model-529': { kind: 'error-response', status: 529 },
  'model-page': { kind: 'page', status: 502, contentType: 'text/html', text: '<html>bad gateway</html>' },
  'model-cut': { kind: 'cut', after: 2 },
  'model-end': { kind: 'end', after: 3 },
  'model-stall': { kind: 'stall', after: 2 },
  'model-garbage': { kind: 'garbage', after: 2 },
  'model-bytes': { kind: 'bytes' },
  'model-silence': { kind: 'silence' },
} as const satisfies Record<string, Fault>;

export type ModelFault = keyof typeof FAULTS;

/** The next request of the model gets the fault. */
export function modelFaults({ upstream }: Deployment): Causes<ModelFault> {
  const fail = async (fault: Fault): Promise<boolean> => {
    if (!upstream) return false;
    upstream.next(fault);
    await until('a request is made', async () => !upstream.isQueued(fault), 10).catch(() => undefined);
    return !upstream.withdraw(fault);
  };
  return Object.fromEntries(Object.entries(FAULTS).map(([kind, fault]) => [kind, () => fail({ ...fault })])) as unknown as Causes<ModelFault>;
}
