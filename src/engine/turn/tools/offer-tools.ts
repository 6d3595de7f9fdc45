import { Injectable } from '@nestjs/common';
import { withoutForbidden } from '../../../session/permissions/matching.js';
import { AGENT_TOOL, EXIT_PLAN_MODE, MEMORY_TOOL, type ToolDefinition } from '../../../../packages/protocol/message/tool-definition.js';
import { Clock, Links, Tools } from '../../../ports/index.js';
import { memoryOwner } from '../../../session/state/memory-owner.js';
import { bound } from '../../../session/state/helper.js';
import type { SessionState } from '../../../session/state/state.js';
import { type ClaimedTurn, TurnReports } from '../turn-reports.js';
import { CallRules } from './call-rules.js';
import { HelperCalls } from './helper-calls.js';

/** Determines which server tools the model is offered. Done before the first request of a turn only: within a turn the tools do not change. */
@Injectable()
export class OfferTools {
  constructor(
    private readonly tools: Tools,
    private readonly links: Links,
    private readonly rules: CallRules,
    private readonly helpers: HelperCalls,
    private readonly reports: TurnReports,
    private readonly clock: Clock,
  ) {}

  /** True when the offered tools have changed, and with them the session. */
  async offer(job: ClaimedTurn, state: SessionState): Promise<boolean> {
    const offered = await this.changed(job, state);
    if (!offered) return false;
    await this.reports.report(job, `offerTools:${this.clock.uuid()}`, { type: 'OfferTools', turnId: job.turnId, tools: offered });
    return true;
  }

  /** The tools to offer; null when they are the ones that the session has. */
  async changed(job: ClaimedTurn, state: SessionState): Promise<readonly ToolDefinition[] | null> {
    const known = JSON.stringify(state.serverTools);
    const offered = await this.offered(job, state);
    return JSON.stringify(offered) === known ? null : offered;
  }

  /** The tools of the server that the next request offers. */
  async offered(session: SessionOf, state: SessionState): Promise<readonly ToolDefinition[]> {
    const rules = await this.rules.of(session.tenantId, state);
    const allowed = withoutForbidden(await this.tools.offered(session.tenantId), rules.deny);
    const own = allowed.filter(({ name }) => (bound(state)?.tools.includes(name) ?? true) && (name !== AGENT_TOOL || this.helpers.mayHave(state)));
    const planned = hasPlanned(state) ? own : own.filter(({ name }) => name !== EXIT_PLAN_MODE);
    return planned.some(isMemory) && !(await this.#isPrivate(session, state)) ? planned.filter((tool) => !isMemory(tool)) : planned;
  }

  /** Whether the owner has written the prompt and no other user can read what comes of it: not by a grant, and not by a link that shows what comes. */
  async #isPrivate({ tenantId, sessionId }: SessionOf, state: SessionState): Promise<boolean> {
    return memoryOwner(state, this.clock.now()) !== null && (await this.links.list(tenantId, sessionId)).every(({ at }) => at !== null);
  }
}

type SessionOf = Pick<ClaimedTurn, 'tenantId' | 'sessionId'>;

const isMemory = ({ type }: ToolDefinition): boolean => type === MEMORY_TOOL.type;

/** A session that was in plan mode keeps the tool that leaves it: a changed list of tools would make the cached prompt useless. */
const hasPlanned = ({ settings, serverTools }: SessionState): boolean =>
  settings.permissionMode === 'plan' || serverTools.some(({ name }) => name === EXIT_PLAN_MODE);
