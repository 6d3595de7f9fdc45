import type { HookEvent } from '../../../packages/protocol/hooks/hook-events.js';
import type { Matcher } from './matcher.js';

interface Definition {
  /** Where it is configured. */
  readonly source: 'deployment' | 'tenant';
  /** The plugin that brings it; null for the hooks file and a tenant's settings. */
  readonly plugin: string | null;
  readonly event: HookEvent;
  /** As written; null matches everything. */
  readonly matcher: string | null;
  readonly matches: Matcher;
  readonly timeoutMs: number;
}

/** A shell command of the operator's. */
export interface CommandHook extends Definition {
  readonly type: 'command';
  readonly command: string;
  /** Variables set for it besides those that every hook gets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Folders that it may read besides the files that its command names. */
  readonly readable: readonly string[];
  /** Whether it runs as the session's commands do, where sessions have a folder; otherwise in the server's folder, with the server's account. */
  readonly sandbox: boolean;
}

/** An address that receives the event and may answer. */
export interface HttpHook extends Definition {
  readonly type: 'http';
  readonly url: string;
  /** Headers to send, with the values of variables filled in. */
  readonly headers: Readonly<Record<string, string>>;
}

export type Hook = CommandHook | HttpHook;

/** Hooks of the same identity run once for an event, however often they are configured. */
export function identityOf(hook: Hook): string {
  return hook.type === 'command' ? `command ${hook.plugin ?? ''} ${hook.sandbox} ${hook.command}` : `http ${hook.source} ${hook.url}`;
}

/** A URL as it is shown and logged: the query may hold a key. */
export function shownUrl(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : `${url.slice(0, at)}?…`;
}
