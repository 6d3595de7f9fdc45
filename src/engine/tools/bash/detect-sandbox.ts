import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Workspaces } from '../workspaces/workspaces.js';
import { Shell, type ShellResult, type ShellSettings } from './shell.js';
import { findProgram, type Sandbox } from './sandbox.js';

export interface SandboxSettings extends ShellSettings {
  /** `auto`: bubblewrap where it works. `bwrap`: bubblewrap only. `none`: no bubblewrap, and where the server is not root, no isolation at all. */
  readonly sandbox: 'auto' | 'bwrap' | 'none';
  readonly network: boolean;
}

/**
 * The strongest sandbox that works here, found by running a command in it; otherwise the reason why there is none. Without bubblewrap and without accounts of
 * their own, commands could read the server's files and keys, so that requires `none`.
 */
export async function detectSandbox(settings: SandboxSettings, workspaces: Workspaces, isRoot: boolean = process.getuid?.() === 0): Promise<Sandbox | string> {
  const { sandbox: wanted, search, network } = settings;
  const bash = findProgram('bash', search);
  const shell = { kind: bash === null ? ('sh' as const) : ('bash' as const), file: bash ?? '/bin/sh' };
  const bubblewrap = findProgram('bwrap', search);
  const hasAccounts = workspaces.accounts.of('') !== null;
  if (isRoot && !hasAccounts)
    return 'the server runs as root and cannot change its user id, and commands never run as root: start it as another user, or check BASH_USER';
  const tried: string[] = [];
  const attempt = async (sandbox: Sandbox): Promise<Sandbox | null> => {
    const fault = await trialFault(sandbox, settings, workspaces);
    if (fault !== null) tried.push(`${sandbox.bubblewrap === null ? 'without' : 'with'} bubblewrap: ${fault}`);
    return fault === null ? sandbox : null;
  };
  if (wanted !== 'none' && bubblewrap !== null) {
    for (const disableUserNamespaces of [true, false]) {
      for (const countProcesses of [true, false]) {
        const sandbox = await attempt({ shell, bubblewrap, disableUserNamespaces, network, countProcesses });
        if (sandbox) return sandbox;
      }
    }
  }
  if (wanted === 'bwrap') return `bubblewrap ${bubblewrap === null ? 'is not installed' : 'does not work here'}${listed(tried)}`;
  if (hasAccounts || wanted === 'none') {
    const sandbox = await attempt({ shell, bubblewrap: null, disableUserNamespaces: false, network: true, countProcesses: hasAccounts });
    if (sandbox) return sandbox;
  }
  return `commands cannot be isolated from the server: install bubblewrap, start as root, or accept that with BASH_SANDBOX=none${listed(tried)}`;
}

/** How often a start that finds no sandbox searches for one, with a pause in between, in milliseconds. */
const ATTEMPTS = 3;
const PAUSE_MS = 1_000;

/** As `detectSandbox`, several times: a full disk or a busy machine may be why there is none, and Bash would stay off until the next start. Never rejects. */
export async function findSandbox(settings: SandboxSettings, workspaces: Workspaces): Promise<Sandbox | string> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await detectSandbox(settings, workspaces).catch(String);
    if (typeof found !== 'string' || attempt === ATTEMPTS) return found;
    await setTimeout(PAUSE_MS);
  }
}

/** The tenant of trial sessions; the id of a real tenant is a uuid. */
const TRIAL = 'trial';

async function trialFault(sandbox: Sandbox, settings: ShellSettings, workspaces: Workspaces): Promise<string | null> {
  const { end, text, root } = await trial('(echo "in $PWD") && touch "$HOME/made"', sandbox, settings, workspaces);
  if (end.kind === 'exit' && end.code === 0 && text === `in ${root}\n`) return null;
  return `${text.trim().slice(0, 500)} (${JSON.stringify(end)})`;
}

/** Whether a command can make a user namespace, in which it is root and reaches parts of the kernel that are closed to users. Never rejects. */
export async function makesUserNamespaces(sandbox: Sandbox, settings: ShellSettings, workspaces: Workspaces): Promise<boolean> {
  const tried = await trial('unshare -Ur true', sandbox, settings, workspaces).catch(() => null);
  return tried?.end.kind === 'exit' && tried.end.code === 0;
}

/** Runs a command in the sandbox, in the folder of a separate session. */
async function trial(command: string, sandbox: Sandbox, settings: ShellSettings, workspaces: Workspaces): Promise<ShellResult & { readonly root: string }> {
  const id = randomUUID();
  const { root } = await workspaces.of(TRIAL, id);
  try {
    const shell = new Shell(settings, sandbox, workspaces);
    return { root, ...(await shell.run({ tenantId: TRIAL, sessionId: id }, command, 10_000, () => {}, new AbortController().signal)) };
  } finally {
    await rm(path.dirname(root), { recursive: true, force: true });
  }
}

const listed = (tried: readonly string[]): string => (tried.length === 0 ? '' : ` (tried ${tried.join('; ')})`);
