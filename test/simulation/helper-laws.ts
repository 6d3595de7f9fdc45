import { CachedSessions } from '../../src/engine/store/cached-sessions.js';
import { helperResult, helperTurn, isOver } from '../../src/session/state/helper.js';
import type { CallRecord, SessionState } from '../../src/session/state/state.js';
import { calls, sequence } from './checks.js';
import type { World } from './world.js';

/** Virtual milliseconds from the end of a parent's turn to that of its helper; with faults, a process that would interrupt the helper may be gone. */
const LATEST_MS = { alone: 5_000, withFaults: 120_000 };

/** What must hold for helpers when all sessions are at rest: a call and its helper name each other, the helper has ended, and its last text is the result of the call. */
export async function helperViolations({ store, scenario }: World): Promise<readonly string[]> {
  const sessions = new CachedSessions(store.events, 0);
  const latestMs = scenario.faults || scenario.restarts ? LATEST_MS.withFaults : LATEST_MS.alone;
  const found: string[] = [];
  for (const { tenantId, sessionId } of store.all()) {
    const state = await sessions.load(tenantId, sessionId);
    const load = (id: string): Promise<SessionState> => sessions.load(tenantId, id);
    const wrong = [...(state.parent ? await ofHelper(sessionId, state, latestMs, load) : []), ...(await ofCalls(state, load))];
    if (state.parent) {
      const events = await store.events.load(tenantId, sessionId);
      wrong.push(...sequence(events), ...calls(events));
    }
    found.push(...wrong.map((text) => `session ${sessionId}: ${text}`));
  }
  return found;
}

type Load = (sessionId: string) => Promise<SessionState>;

async function ofHelper(id: string, state: SessionState, latestMs: number, load: Load): Promise<readonly string[]> {
  const { sessionId, turnId, toolUseId, depth } = state.parent!;
  const above = await load(sessionId);
  const parentTurn = above.turns.get(turnId);
  const turn = helperTurn(state);
  const found: string[] = [];
  if (parentTurn?.calls.get(toolUseId)?.helper !== id) found.push('its call does not name it');
  if (depth !== (above.parent?.depth ?? 0) + 1) found.push(`it has the depth ${depth}`);
  if (state.turns.size !== 1) found.push(`it has ${state.turns.size} turns`);
  if (!turn || !isOver(turn)) found.push('it has not ended');
  else if (parentTurn?.endedAt && turn.endedAt && Date.parse(turn.endedAt) - Date.parse(parentTurn.endedAt) > latestMs)
    found.push(`it ended at ${turn.endedAt}, and the turn of its call at ${parentTurn.endedAt}`);
  return found;
}

async function ofCalls(state: SessionState, load: Load): Promise<readonly string[]> {
  const found: string[] = [];
  for (const turn of state.turns.values()) {
    for (const call of turn.calls.values()) {
      if (call.helper === null) continue;
      const helper = await load(call.helper);
      const own = helperTurn(helper);
      if (own && helper.parent?.toolUseId !== call.toolUseId) found.push(`the helper of call ${call.toolUseId} is for another call`);
      if (call.outcome !== 'finished' || state.erasures.size > 0 || helper.erasures.size > 0) continue;
      const result = resultOf(state, call);
      if (own ? helperResult(helper, own).content !== result : !call.isError) found.push(`call ${call.toolUseId} has not the result of its helper: ${result}`);
    }
  }
  return found;
}

function resultOf({ messages }: SessionState, { resultUuid, toolUseId }: CallRecord): string | null {
  const message = messages.get(resultUuid ?? '')?.message;
  const blocks = message?.type === 'user' && typeof message.content !== 'string' ? message.content : [];
  const result = blocks.find((block) => block.type === 'tool_result' && block.tool_use_id === toolUseId);
  return result?.type === 'tool_result' && typeof result.content === 'string' ? result.content : null;
}
