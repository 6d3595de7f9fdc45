import type { HookEvent } from '../../core/ports.js';
import type { Matcher } from './matcher.js';

interface Definition {
  /** Who wants it run. */
  readonly source: 'deployment' | 'tenant';
  readonly event: HookEvent;
  /** As written; null matches everything. */
  readonly matcher: string | null;
  readonly matches: Matcher;
  readonly timeoutMs: number;
}

/** A command of the operator's. */
export interface CommandHook extends Definition {
  readonly type: 'command';
  readonly command: string;
}

/** An address that is told of the event, and may answer. */
export interface HttpHook extends Definition {
  readonly type: 'http';
  readonly url: string;
  /** What is sent along, with the values of variables filled in. */
  readonly headers: Readonly<Record<string, string>>;
}

export type Hook = CommandHook | HttpHook;

/** Hooks that are the same run once for an event, however often they are named. */
export function identityOf(hook: Hook): string {
  return hook.type === 'command' ? `command ${hook.command}` : `http ${hook.source} ${hook.url}`;
}

/** An address as it is shown and logged: what stands behind the question mark may be a key. */
export function shownUrl(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : `${url.slice(0, at)}?…`;
}
