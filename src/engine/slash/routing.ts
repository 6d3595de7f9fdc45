import { Injectable } from '@nestjs/common';
import { argumentsOf, namedCommand, namesUltraplan, routeOf } from '../../session/prompt/route.js';
import { GateSource, Sessions } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import type { CommandAnswer } from '../../session/state/commands.js';
import { SlashCommands } from './slash-commands.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import type { Route, Submission } from '../../../packages/protocol/message/submission.js';

export interface Routed {
  readonly submission: Submission;
  /** The answer of a client command, which needs no turn. */
  readonly answer?: CommandAnswer;
}

/** Determines the route of a submission, records it in the submission, and answers client commands at once. */
@Injectable()
export class Routing {
  constructor(
    private readonly commands: SlashCommands,
    private readonly gates: GateSource,
    private readonly sessions: Sessions,
  ) {}

  /** Checks access to the session before a command runs. */
  async route(principal: AuthorizedCaller, sessionId: string, submission: Submission): Promise<Routed> {
    const { tenantId } = principal;
    const name = namedCommand(submission);
    const command = name === null ? null : await this.commands.find(tenantId, name);
    const ultraplan = namesUltraplan(submission) && (await this.gates.intake(tenantId)).ultraplan;
    const route = routeOf(submission, { command, ultraplan });
    const routed = { submission: { ...submission, route } };
    const answer = await this.#answer(principal, sessionId, routed.submission);
    return answer ? { ...routed, answer } : routed;
  }

  async #answer(principal: AuthorizedCaller, sessionId: string, submission: Submission & { readonly route: Route }): Promise<CommandAnswer | null> {
    const { route } = submission;
    const command = route.kind === 'command' ? this.commands.builtIn(route.name) : null;
    if (command?.kind !== 'client') return null;
    requireAccess(await this.sessions.load(principal.tenantId, sessionId), principal);
    return command.answer(this.commands.call(principal.tenantId, sessionId, argumentsOf(submission)));
  }
}
