import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { accounts } from '../../src/engine/tools/workspaces/accounts.js';
import { Workspaces } from '../../src/engine/tools/workspaces/workspaces.js';
import type { Json } from '../../packages/protocol/message/content.js';
import type { ToolCall, ToolOutcome, ToolSet } from '../../src/ports/index.js';

/** Folders of sessions in their own place. */
export async function makeWorkspaces(): Promise<{ readonly workspaces: Workspaces; remove(): Promise<void> }> {
  const directory = await mkdtemp(path.join(tmpdir(), 'verbatim-workspaces-'));
  const workspaces = new Workspaces(path.join(directory, 'sessions'), await accounts(undefined), () => {});
  return {
    workspaces,
    remove: async () => {
      await rm(await workspaces.directory(), { recursive: true, force: true });
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The call of a tool by a session, as the turn engine makes it. */
export async function callTool(
  tools: ToolSet,
  session: string,
  name: string,
  input: Json,
  { signal = new AbortController().signal, onProgress = () => {} }: { signal?: AbortSignal; onProgress?: (data: Json) => void } = {},
): Promise<ToolOutcome & { readonly content: string }> {
  const call: ToolCall = { tenantId: 'tenant', sessionId: session, turnId: 'turn', toolUseId: 'call', name, input, permissionMode: 'default' };
  const outcome = await tools.run(call, onProgress, signal);
  if (typeof outcome.content !== 'string') throw new Error('expected an outcome in words');
  return { ...outcome, content: outcome.content };
}
