import type { ContentBlock, ToolUseBlock } from '../../../packages/protocol/message/content.js';
import type { ModelMessage, StoredMessage } from '../../../packages/protocol/message/message.js';
import type { CallRecord, SessionState, Turn } from './state.js';
import { AGENT_TOOL, SKILL_TOOL, type ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';
import type { Draft } from '../../../packages/protocol/message/draft.js';

/**
 * Status of a call. `pending`: not yet decided by rules, hooks and mode; `awaiting_decision`: a person must decide; `ready`: allowed, not started; `deferred`: ended, its
 * result is held back until the calls before it have theirs; `awaiting_client`: the client runs it; `awaiting_helper`: another session carries it out.
 */
export type CallStatus = 'pending' | 'awaiting_decision' | 'ready' | 'running' | 'deferred' | 'awaiting_client' | 'awaiting_helper' | 'settled';

export function statusOf(call: CallRecord): CallStatus {
  if (call.resultUuid !== null) return 'settled';
  if (call.deferred) return 'deferred';
  if (call.runBy !== 'server') return 'awaiting_client';
  if (call.startedAt !== null) return call.helper === null ? 'running' : 'awaiting_helper';
  if (call.decision === 'allow') return 'ready';
  return call.decision === 'ask' ? 'awaiting_decision' : 'pending';
}

/** The calls of the turn's last answer with this status, in order. */
export function callsThatAre(status: CallStatus, turn: Turn): readonly CallRecord[] {
  return turn.pendingCalls.flatMap((id) => {
    const call = turn.calls.get(id);
    return call && statusOf(call) === status ? [call] : [];
  });
}

/** Whether a call of the turn's last answer has no result yet. */
export function hasOpenCalls(turn: Turn): boolean {
  return turn.pendingCalls.some((id) => turn.calls.get(id)?.resultUuid === null);
}

/** The calls of an answer. Those before a `fallback` block belong to the attempt of a model that declined: they must not run (docs: Refusals and fallback). */
export function callsIn(content: readonly ContentBlock[]): readonly ToolUseBlock[] {
  const declined = content.findLastIndex((block) => (block.type as string) === 'fallback');
  return content.slice(declined + 1).filter((block): block is ToolUseBlock => block.type === 'tool_use');
}

/** Whether a helper may carry the call out: then it begins when there is room for one. What a skill says is not part of the log. */
export const isForHelper = ({ runBy, name }: Pick<CallRecord, 'runBy' | 'name'>): boolean => runBy === 'server' && (name === AGENT_TOOL || name === SKILL_TOOL);

/** The server tools that the session offers: a client tool of the same name takes precedence. */
export function offeredByServer(state: SessionState): readonly ToolDefinition[] {
  const taken = new Set(state.settings.tools.map(({ name }) => name));
  return state.serverTools.filter(({ name }) => !taken.has(name));
}

/** The tool that a call means, by its name or else by one of its aliases; client tools take precedence. Rules, hooks and results name it by its name. */
export function calledTool({ settings, serverTools }: SessionState, called: string): Pick<CallRecord, 'name' | 'runBy'> {
  for (const isMeant of [named(called), hasAlias(called)]) {
    const client = settings.tools.find(isMeant);
    if (client) return { name: client.name, runBy: 'client' };
    const server = serverTools.find(isMeant);
    if (server) return { name: server.name, runBy: 'server' };
  }
  return { name: called, runBy: 'none' };
}

type Named = Pick<ToolDefinition, 'name' | 'aliases'>;

const named =
  (called: string) =>
  ({ name }: Named): boolean =>
    name === called;
const hasAlias =
  (called: string) =>
  ({ aliases = [] }: Named): boolean =>
    aliases.includes(called);

/** Updates the turn's calls by one of its messages: an answer opens calls, a result completes one. */
export function recordCalls(state: SessionState, turn: Turn, message: StoredMessage): void {
  if (message.type === 'assistant' && !message.isVirtual) {
    const calls = callsIn(message.message.content);
    for (const { id, name, input } of calls) turn.calls.set(id, { ...FRESH, toolUseId: id, input, ...calledTool(state, name) });
    turn.pendingCalls = [...new Set(calls.map(({ id }) => id))];
  }
  if (message.type !== 'user' || typeof message.content === 'string') return;
  for (const block of message.content) {
    const call = block.type === 'tool_result' ? turn.calls.get(block.tool_use_id) : undefined;
    if (!call) continue;
    call.resultUuid = message.uuid;
    call.deferred = null;
  }
}

const FRESH = {
  decision: null,
  decidedBy: null,
  reason: null,
  updatedInput: null,
  startedAt: null,
  helper: null,
  endedAt: null,
  outcome: null,
  isError: null,
  durationMs: null,
  deferred: null,
  resultUuid: null,
} as const;

export interface Release {
  /** Messages to append now, in order. */
  readonly released: readonly Draft[];
  /** Messages held back, by call id. */
  readonly deferred: ReadonlyMap<string, readonly Draft[]>;
}

/**
 * Keeps results in the order of the calls, independent of which call ended first. `ended`: messages of the calls that just ended. Releases these and earlier deferred
 * ones up to the first open call. Calls that the client runs do not hold back others.
 */
export function release(turn: Turn, ended: ReadonlyMap<string, readonly Draft[]>): Release {
  const released: Draft[] = [];
  const deferred = new Map<string, readonly Draft[]>();
  let isOpen = false;
  for (const id of turn.pendingCalls) {
    const call = turn.calls.get(id);
    if (!call || call.resultUuid !== null || call.runBy !== 'server') continue;
    const messages = ended.get(id) ?? call.deferred;
    if (!messages) isOpen = true;
    else if (!isOpen) released.push(...messages);
    else if (ended.has(id)) deferred.set(id, messages);
  }
  return { released, deferred };
}

/** Calls without a result: those of this turn, and those of a partial answer that is being appended. */
export function openCalls(
  turn: Turn,
  partial: ModelMessage | null,
): readonly Pick<CallRecord, 'toolUseId' | 'startedAt' | 'helper' | 'endedAt' | 'deferred'>[] {
  const open = [...turn.calls.values()].filter((call) => call.resultUuid === null);
  const partialCalls = new Set(callsIn(partial?.content ?? []).map(({ id }) => id));
  return [...open.filter(({ toolUseId }) => !partialCalls.has(toolUseId)), ...[...partialCalls].map((toolUseId) => ({ ...FRESH, toolUseId }))];
}
