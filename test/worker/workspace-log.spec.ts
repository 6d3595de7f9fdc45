import { expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { DomainError } from '../../packages/protocol/errors.js';
import type { EventData } from '../../packages/protocol/events/events.js';
import { TurnReports } from '../../src/engine/turn/turn-reports.js';
import { WorkspaceLog } from '../../src/engine/turn/workspace-log.js';
import type { FolderContent, SessionFiles, Sessions } from '../../src/ports/index.js';
import { emptyWorkspace } from '../../src/session/state/workspace.js';

Logger.overrideLogger(false);

const JOB = { tenantId: 't', sessionId: 's', turnId: 't1', claim: { jobId: 't1', fence: 1 } };

type Change = EventData['workspace.changed'];

interface Scene {
  readonly log: WorkspaceLog;
  readonly recorded: Change[];
}

/** A folder that `look` reads. The first `failures` reports fail. */
function sceneOf(look: () => Promise<FolderContent>, failures = 0): Scene {
  const recorded: Change[] = [];
  let left = failures;
  const folders = {
    during: (_, __, work) => work(() => true),
    version: async () => undefined,
    look,
    mark: async () => undefined,
  } satisfies Partial<SessionFiles> as never;
  const sessions = { load: async () => ({ workspace: emptyWorkspace() }) as never } satisfies Partial<Sessions> as never;
  class Reports extends TurnReports {
    override report = async (_: unknown, __: string, command: unknown) => {
      if (left-- > 0) throw new DomainError('unavailable', 'the database is away');
      recorded.push((command as { readonly change: Change }).change);
      return null as never;
    };
  }
  const unused = null as never;
  const clock = { uuid: () => 'v' } as never;
  return { log: new WorkspaceLog(folders, sessions, unused, new Reports(unused, unused), clock, unused, { WORKSPACE_HISTORY: true }), recorded };
}

const nothing = { files: new Map(), hashed: 0 };
const pipe = { path: 'pipe', reason: 'special' as const };

it('records what a step leaves that cannot be recorded, such as a pipe, also when the first attempt to store it fails', async () => {
  const { log, recorded } = sceneOf(async () => ({ ...nothing, skipped: [pipe] }), 2);
  await log.during(JOB, new AbortController().signal, async () => {
    await log.record(JOB, 'call 1');
    await log.record(JOB, 'call 2');
  });
  expect(recorded).toMatchObject([{ version: 'v', toolUseId: 'call 1', files: [], deleted: [], skipped: [pipe] }]);
});

it('looks at a folder once for all steps that end while it is looked at, after they have ended', async () => {
  let done = 0;
  const seen: number[] = [];
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const { log } = sceneOf(async () => {
    seen.push(done);
    await gate;
    return { ...nothing, skipped: [] };
  });
  await log.during(JOB, new AbortController().signal, async () => {
    const step = async (number: number): Promise<void> => {
      done += 1;
      await log.record(JOB, `call ${number}`);
    };
    const first = step(0);
    await setImmediate(); // its look has begun
    const others = Array.from({ length: 10 }, (_, index) => step(index + 1));
    open();
    await Promise.all([first, ...others]);
  });
  expect(seen).toEqual([1, 11]);
});
