import { expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DomainError } from '../../packages/protocol/errors.js';
import type { EventData } from '../../packages/protocol/events/events.js';
import { TurnReports } from '../../src/engine/turn/turn-reports.js';
import { WorkspaceLog } from '../../src/engine/turn/workspace-log.js';
import type { SessionFiles, Sessions } from '../../src/ports/index.js';
import { emptyWorkspace } from '../../src/session/state/workspace.js';

Logger.overrideLogger(false);

const JOB = { tenantId: 't', sessionId: 's', turnId: 't1', claim: { jobId: 't1', fence: 1 } };

it('records what a step leaves that cannot be recorded, such as a pipe, also when the first attempt to store it fails', async () => {
  const pipe = { path: 'pipe', reason: 'special' as const };
  const recorded: EventData['workspace.changed'][] = [];
  let failures = 2;
  const folders = {
    during: (_, __, work) => work(() => true),
    version: async () => undefined,
    look: async () => ({ files: new Map(), skipped: [pipe], hashed: 0 }),
    mark: async () => undefined,
  } satisfies Partial<SessionFiles> as never;
  const sessions = { load: async () => ({ workspace: emptyWorkspace() }) as never } satisfies Partial<Sessions> as never;
  class Reports extends TurnReports {
    override report = async (_: unknown, __: string, command: unknown) => {
      if (failures-- > 0) throw new DomainError('unavailable', 'the database is away');
      recorded.push((command as { readonly change: EventData['workspace.changed'] }).change);
      return null as never;
    };
  }
  const unused = null as never;
  const reports = new Reports(unused, unused);
  const log = new WorkspaceLog(folders, sessions, unused, reports, { uuid: () => 'v' } as never, unused, { WORKSPACE_HISTORY: true });
  await log.during(JOB, new AbortController().signal, async () => {
    await log.record(JOB, 'call 1');
    await log.record(JOB, 'call 2');
  });
  expect(recorded).toMatchObject([{ version: 'v', toolUseId: 'call 1', files: [], deleted: [], skipped: [pipe] }]);
});
