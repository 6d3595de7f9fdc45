import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Executed, Executor } from '../commands/execute.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { TurnReports } from './turn-reports.js';

// Reports that are tried again are warned about.
Logger.overrideLogger(false);

const JOB = { tenantId: 't', sessionId: 's', turnId: 'u', claim: { jobId: 'u', fence: 1 } };
const COMMAND = { type: 'WaitForCalls', turnId: 'u' } as const;

/** Reports to a store that fails with these codes before it answers, and the ids of the commands that it got. */
function reportsTo(codes: readonly ConstructorParameters<typeof DomainError>[0][]) {
  const ids: string[] = [];
  const claims: unknown[] = [];
  const execute = async ({ commandId, claim }: { readonly commandId: string; readonly claim?: unknown }): Promise<Executed> => {
    claims.push(claim);
    const code = codes[ids.push(commandId) - 1];
    if (code) throw new DomainError(code, code);
    return { version: 1 } as Executed;
  };
  return { reports: new TurnReports({ execute } as unknown as Executor, { sha256: (text) => String(text).padEnd(64, '0') }), ids, claims };
}

describe('a report that must not be lost', () => {
  it('is repeated under the same id while the store is unavailable', async () => {
    const { reports, ids, claims } = reportsTo(['unavailable', 'unavailable']);
    expect(await reports.keep(JOB, 'answer', COMMAND, new AbortController().signal)).toMatchObject({ version: 1 });
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
    expect(claims).toEqual(Array(3).fill(JOB.claim));
  });

  it('is given up when it is rejected, and when the process stops', async () => {
    const rejected = reportsTo(['turn_over']);
    await expect(rejected.reports.keep(JOB, 'answer', COMMAND, new AbortController().signal)).rejects.toThrow('turn_over');
    const stopped = reportsTo(['unavailable']);
    await expect(stopped.reports.keep(JOB, 'answer', COMMAND, AbortSignal.abort())).rejects.toThrow('unavailable');
    expect([rejected.ids.length, stopped.ids.length]).toEqual([1, 1]);
  });
});
