import type { PermissionMode } from '../message/message.js';
import type { RuleSource } from './rule.js';

/** What settled whether a tool call may run. */
export type DecidedBy =
  | { readonly kind: 'rule'; readonly rule: string; readonly source: RuleSource }
  | { readonly kind: 'hook'; readonly hookRunId: string }
  | { readonly kind: 'mode'; readonly mode: PermissionMode }
  | { readonly kind: 'person'; readonly id: string }
  /** Nobody answered in time. */
  | { readonly kind: 'timeout' };
