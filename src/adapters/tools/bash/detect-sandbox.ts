import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Workspaces } from '../workspaces/workspaces.js';
import { Shell, type ShellSettings } from './shell.js';
import { find, type Sandbox } from './sandbox.js';

export interface SandboxSettings extends ShellSettings {
  /** `auto`: bubblewrap where it works. `bwrap`: not without it. `none`: not with it, and if need be with no walls at all. */
  readonly sandbox: 'auto' | 'bwrap' | 'none';
  readonly network: boolean;
}

/**
 * The best walls that hold here, found by running a command inside them; else why there are none. Without bubblewrap and without an account of its own, a
 * command could read what the server knows, its keys among it, so that must be asked for by name.
 */
export async function detectSandbox(settings: SandboxSettings, workspaces: Workspaces, isRoot: boolean = process.getuid?.() === 0): Promise<Sandbox | string> {
  const { sandbox, search, network } = settings;
  const bash = find('bash', search);
  const shell = { kind: bash === null ? ('sh' as const) : ('bash' as const), file: bash ?? '/bin/sh' };
  const bubblewrap = find('bwrap', search);
  const hasAccounts = workspaces.accounts.of('') !== null;
  if (isRoot && !hasAccounts)
    return 'the server is root and may not become anybody else, and root runs no commands: start it as another user, or check BASH_USER';
  const tried: string[] = [];
  const attempt = async (walls: Sandbox): Promise<Sandbox | null> => {
    const fault = await faultOf(walls, settings, workspaces);
    if (fault !== null) tried.push(`${walls.bubblewrap === null ? 'without' : 'with'} bubblewrap: ${fault}`);
    return fault === null ? walls : null;
  };
  if (sandbox !== 'none' && bubblewrap !== null) {
    for (const countProcesses of [true, false]) {
      const walls = await attempt({ shell, bubblewrap, network, countProcesses });
      if (walls) return walls;
    }
  }
  if (sandbox === 'bwrap') return `bubblewrap is ${bubblewrap === null ? 'not installed' : 'of no use here'}${told(tried)}`;
  if (hasAccounts || sandbox === 'none') {
    const walls = await attempt({ shell, bubblewrap: null, network: true, countProcesses: hasAccounts });
    if (walls) return walls;
  }
  return `nothing here keeps a command apart from the server: install bubblewrap, or start as root, or accept that by BASH_SANDBOX=none${told(tried)}`;
}

/** The tenant whose sessions are trials; a real one's id is a uuid. */
const TRIAL = 'trial';

async function faultOf(walls: Sandbox, settings: SandboxSettings, workspaces: Workspaces): Promise<string | null> {
  const id = randomUUID();
  const workspace = await workspaces.of(TRIAL, id);
  try {
    const shell = new Shell(settings, walls, workspaces);
    const { ending, text } = await shell.run(
      { tenantId: TRIAL, sessionId: id },
      '(echo "in $PWD") && touch "$HOME/made"',
      10_000,
      () => {},
      new AbortController().signal,
    );
    if (ending.kind === 'exit' && ending.code === 0 && text === `in ${workspace.root}\n`) return null;
    return `${text.trim().slice(0, 500)} (${JSON.stringify(ending)})`;
  } finally {
    await rm(path.dirname(workspace.root), { recursive: true, force: true });
  }
}

const told = (tried: readonly string[]): string => (tried.length === 0 ? '' : ` (tried ${tried.join('; ')})`);
