import type { PermissionMode } from '../message/message.js';
import type { RuleSource } from './rule.js';

/** What decided whether a tool call runs. */
export type DecidedBy =
  | { readonly kind: 'rule'; readonly rule: string; readonly source: RuleSource }
  | { readonly kind: 'hook'; readonly hookRunId: string }
  | { readonly kind: 'mode'; readonly mode: PermissionMode }
  | { readonly kind: 'person'; readonly id: string }
  /** No decision in time. */
  | { readonly kind: 'timeout' };
