import { Model, ModelError, type ModelAnswer, type ModelDelta, type ModelRequest } from './ports.js';
import type { Json } from '../../packages/protocol/message/content.js';
import { AGENT_TOOL } from '../../packages/protocol/message/tool-definition.js';
import type { SimulatedProcess } from './process.js';
import type { World } from './world.js';

const TOOLS = ['Look', 'Change', 'Ask'] as const;
const WITH_HELPERS = [...TOOLS, AGENT_TOOL, AGENT_TOOL] as const;

const USAGE = { input_tokens: 10, output_tokens: 5 };

/** A model that answers, calls tools, fails, is slow, or breaks off, by chance. */
export class SimulatedModel extends Model {
  override readonly provider = 'offline';

  constructor(private readonly process: SimulatedProcess) {
    super();
  }

  override async answer({ requestId, ordinal }: ModelRequest, _onDelta: (delta: ModelDelta) => void, signal: AbortSignal): Promise<ModelAnswer> {
    const { world } = this.process;
    await this.process.alive();
    const plan = planFor(world, requestId, ordinal);
    const stopped = await world.interruptible(plan.durationMs, signal);
    await this.process.alive();
    world.observed.ended(requestId, world.scheduler.now);
    if (stopped) throw new ModelError('aborted', 'The request was aborted.', null, false, null, null, null);
    if (plan.error) throw plan.error;
    return { message: plan.message, usage: USAGE, providerRequestId: `req_${requestId}` };
  }
}

interface Plan {
  readonly durationMs: number;
  readonly error: ModelError | null;
  readonly message: ModelAnswer['message'];
}

function planFor(world: World, requestId: string, ordinal: number): Plan {
  const { random } = world.model;
  const durationMs = random.chance(0.1) ? random.between(5_000, 40_000) : random.between(5, 800);
  const error = random.chance(0.01) ? REFUSED : world.network.faulty && random.chance(0.08) ? failure(random.between(0, 2)) : null;
  const calls = ordinal <= 3 && !world.observed.summaries.has(requestId) && random.chance(0.35) ? random.between(1, 3) : 0;
  const tools = world.scenario.helpers ? WITH_HELPERS : TOOLS;
  const names = Array.from({ length: calls }, () => random.pick(tools));
  const inputOf = (name: string, index: number): Json =>
    name === AGENT_TOOL ? { description: 'a task', prompt: `task ${index} of ${requestId}` } : { n: index };
  const content = [
    { type: 'text' as const, text: `answer ${requestId}` },
    ...names.map((name, index) => ({ type: 'tool_use' as const, id: `toolu_${requestId.replaceAll('-', '')}_${index}`, name, input: inputOf(name, index) })),
  ];
  const stop_reason = calls > 0 ? 'tool_use' : 'end_turn';
  return { durationMs, error, message: { id: `msg_${requestId}`, role: 'assistant', model: 'claude-sonnet-5-5', content, stop_reason, usage: USAGE } };
}

/** Repeating it would not help: its turn fails. */
const REFUSED = new ModelError('permission_error', 'Not permitted', 403, false, null, null, null);

function failure(kind: number): ModelError {
  if (kind === 0) return new ModelError('overloaded_error', 'Overloaded', 529, true, null, null, null);
  if (kind === 1) return new ModelError('rate_limit_error', 'Too many requests', 429, true, 2_000, null, null);
  return new ModelError('connection_error', 'The connection was lost', null, true, null, null, null);
}
