import { Command } from '@nestjs/cqrs';
import type { SessionRole } from '../../../packages/protocol/access/roles.js';
import { grantsView, type GrantsView } from '../../session/state/access-view.js';
import type { CommandContext, CommandResult } from '../../engine/commands/context.js';
import { forwardingHandler } from '../../engine/commands/forwarding-handler.js';

/** Gives a user or a group a role in the session, in the place of an earlier one. */
export class GrantRoleCommand extends Command<CommandResult & GrantsView> {
  constructor(
    readonly context: CommandContext,
    /** `user:<id>` or `group:<name>`. */
    readonly principal: string,
    readonly role: SessionRole,
    /** The most grants of a session. */
    readonly limit: number,
  ) {
    super();
  }
}

export const GrantRoleHandler = forwardingHandler(
  GrantRoleCommand,
  ({ principal, role, limit }) => ({ type: 'GrantRole', principal, role, limit }),
  ({ state }) => grantsView(state),
);

/** Takes the role of a user or a group away. */
export class RevokeGrantCommand extends Command<CommandResult & GrantsView> {
  constructor(
    readonly context: CommandContext,
    readonly principal: string,
  ) {
    super();
  }
}

export const RevokeGrantHandler = forwardingHandler(
  RevokeGrantCommand,
  ({ principal, context }) => ({ type: 'RevokeGrant', principal, by: context.principal.userId }),
  ({ state }) => grantsView(state),
);

/** Gives the caller, who has no role that reads, read access for a time. The owner sees who, when and why. */
export class BreakGlassCommand extends Command<CommandResult & { readonly until: string }> {
  constructor(
    readonly context: CommandContext,
    readonly reason: string,
    /** RFC 3339. */
    readonly until: string,
  ) {
    super();
  }
}

export const BreakGlassHandler = forwardingHandler(
  BreakGlassCommand,
  ({ reason, until }) => ({ type: 'BreakGlass', reason, until }),
  ({ events }) => {
    const broken = events.find(({ type }) => type === 'glass.broken');
    if (broken?.type !== 'glass.broken') throw new Error('the command appended no glass.broken');
    return { until: broken.data.until };
  },
);
