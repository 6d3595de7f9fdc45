import type { SessionRole } from '../../../packages/protocol/access/roles.js';
import { grantsView, type GrantsView } from '../../session/state/access-view.js';
import { defineCommand } from '../../engine/commands/define-command.js';
import { eventOf } from '../../engine/commands/execute.js';

export interface Grant {
  /** `user:<id>` or `group:<name>`. */
  readonly principal: string;
  readonly role: SessionRole;
  /** The most grants of a session. */
  readonly limit: number;
}

/** Gives a user or a group a role in the session, instead of an earlier one. */
export class GrantRoleCommand extends defineCommand<Grant, GrantsView>({
  action: 'session.grant',
  rule: ({ principal, role, limit }) => ({ type: 'GrantRole', principal, role, limit }),
  answer: ({ state }) => grantsView(state),
}) {}

/** Takes the role of a user or a group away. */
export class RevokeGrantCommand extends defineCommand<Pick<Grant, 'principal'>, GrantsView>({
  action: 'session.leave',
  rule: ({ principal, context }) => ({ type: 'RevokeGrant', principal, by: context.principal.userId }),
  answer: ({ state }) => grantsView(state),
}) {}

/** Gives the caller, who has no role that reads, read access for a time, until `until` (RFC 3339). The owner sees who, when and why. */
export class BreakGlassCommand extends defineCommand<{ reason: string; until: string }, { readonly until: string }>({
  action: 'session.break_glass',
  rule: ({ reason, until }) => ({ type: 'BreakGlass', reason, until }),
  answer: ({ events }) => ({ until: eventOf(events, 'glass.broken').until }),
}) {}
