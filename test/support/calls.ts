import type { ToolUseBlock } from '../../packages/protocol/message/content.js';
import { deriveId } from '../../packages/protocol/message/ids.js';
import { outcomeMessage } from '../../src/session/decide/closed-calls.js';
import type { CallDecision, Command } from '../../src/session/state/commands.js';
import type { CallOutcome } from '../../packages/protocol/events/events.js';
import { answer, AT, prepare, type Scene, seed, send, session, submit } from './given-session.js';
import type { ToolDefinition } from '../../packages/protocol/message/tool-definition.js';
import { DEFAULT_PROMPT_GATES } from '../../packages/protocol/gates.js';

export const tool = (name: string, effect: ToolDefinition['effect'] = 'run'): ToolDefinition => ({
  name,
  description: `does ${name}`,
  input_schema: { type: 'object' },
  source: 'builtin',
  effect,
});

export const use = (id: string, name = 'Bash', input: ToolUseBlock['input'] = { command: 'ls' }): ToolUseBlock => ({ type: 'tool_use', id, name, input });

/** A session with the server's tools, whose model has just called these. `lookup` is the client's. */
export function calling(...calls: readonly ToolUseBlock[]): Scene {
  const scene = session();
  scene.when(submit(1));
  scene.when(prepare(1));
  scene.when({ type: 'OfferTools', turnId: 't1', tools: [tool('Bash'), tool('Read', 'read'), tool('Agent', 'read')] });
  scene.when(send(scene, 1));
  scene.when(answer(1, calls, 'tool_use'));
  return scene;
}

const noHooks = { updatedInput: null, hookRuns: [], contexts: [], endReason: null } as const;

const result = (toolUseId: string, content: string, isError = false) =>
  outcomeMessage({ toolUseId, content, isError }, { uuid: `result-${toolUseId}`, at: AT });

export const verdict = (toolUseId: string, decision: 'allow' | 'deny' | 'ask', more: Partial<CallDecision> = {}): CallDecision => ({
  ...noHooks,
  toolUseId,
  decision,
  by: { kind: 'mode', mode: 'default' },
  reason: `${decision} it is`,
  result: decision === 'deny' ? [result(toolUseId, 'denied', true)] : [],
  ...more,
});

export const decisions = (...given: readonly CallDecision[]): Command => ({ type: 'RecordDecisions', turnId: 't1', decisions: given });

export const startCall = (toolUseId: string): Command => ({ type: 'StartCall', turnId: 't1', toolUseId });

/** Another session carries the call out. */
export const startHelper = (toolUseId: string): Command => ({ type: 'StartCall', turnId: 't1', toolUseId, helper: `helper-${toolUseId}` });

export const resumeForHelper = (toolUseId: string): Command => ({ type: 'ResumeForHelper', turnId: 't1', toolUseId });

export const outcome = (toolUseId: string, ending: CallOutcome = 'finished', stops: string | null = null): Command => ({
  type: 'RecordOutcome',
  turnId: 't1',
  toolUseId,
  outcome: ending,
  isError: ending !== 'finished',
  durationMs: 1,
  messages: [result(toolUseId, `outcome of ${toolUseId}`, ending !== 'finished')],
  hookRuns: [],
  endReason: stops,
});

export const waitForCalls: Command = { type: 'WaitForCalls', turnId: 't1' };

export const decide = (toolUseId: string, decision: 'allow' | 'reject' | 'cancel', feedback: string | null = null): Command => ({
  type: 'DecideTool',
  toolUseId,
  decision,
  feedback,
  updatedInput: null,
  by: 'u1',
  at: AT,
  seed: deriveId(seed(3), toolUseId),
  gates: DEFAULT_PROMPT_GATES,
});

export const post = (...toolUseIds: readonly string[]): Command => ({
  type: 'PostToolResults',
  at: AT,
  results: toolUseIds.map((toolUseId) => ({ toolUseId, content: `client says ${toolUseId}`, isError: false, uuid: `posted-${toolUseId}` })),
});

export const interrupt: Command = { type: 'Interrupt', reason: null, at: AT, seed: seed(1), gates: DEFAULT_PROMPT_GATES };

export const finishInterrupt: Command = {
  type: 'FinishInterrupt',
  turnId: 't1',
  partial: null,
  durationMs: 0,
  at: AT,
  seed: seed(2),
  gates: DEFAULT_PROMPT_GATES,
};

/** Ids of the calls that have a result on the path, in its order. */
export function resultsOf(scene: Scene): readonly string[] {
  return [...scene.state.messages.values()].flatMap(({ message }) =>
    message.type === 'user' && typeof message.content !== 'string'
      ? message.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
      : [],
  );
}
