/** Runs one command that does not end, to be killed in the middle of it: `shell-process.js <folder> <walls as JSON> <command>`. */
import { Shell } from '../../src/engine/tools/bash/shell.js';
import type { Sandbox } from '../../src/engine/tools/bash/sandbox.js';
import { accounts } from '../../src/engine/tools/workspaces/accounts.js';
import { Workspaces } from '../../src/engine/tools/workspaces/workspaces.js';

const [, , folder = '', walls = '', command = ''] = process.argv;
const settings = { search: process.env['PATH'] ?? '', outputCharacters: 100, maxOutputMb: 1, memoryMb: 256, processes: 40, fileMb: 8 };
const shell = new Shell(settings, JSON.parse(walls) as Sandbox, new Workspaces(folder, await accounts(undefined), () => {}));
await shell.run(
  { tenantId: 'tenant', sessionId: 'session' },
  command,
  600_000,
  (output) => process.stdout.write(output.last(100)),
  new AbortController().signal,
);
