import type { Json } from '../../packages/protocol/message/content.js';
import { AGENT_TOOL, type ToolDefinition } from '../../packages/protocol/message/tool-definition.js';
import { type ToolCall, type ToolOutcome, Tools } from '../../src/ports/index.js';
import { fileOf, SHARED_FILE, textOf } from './folder-laws.js';
import type { SimulatedProcess } from './process.js';

const definition = (name: string, effect: ToolDefinition['effect']): ToolDefinition => ({
  name,
  description: `Simulated tool ${name}.`,
  input_schema: { type: 'object', properties: { n: { type: 'integer' } } },
  source: 'builtin',
  effect,
});

/** `Look` runs without a decision, `Change` needs one; `Ask` is the client's; `Bash` runs the commands of bash mode. */
export const SERVER_TOOLS: readonly ToolDefinition[] = [definition('Look', 'read'), definition('Change', 'run'), definition('Bash', 'run')];

/** Server tools whose executions the world counts. */
export class SimulatedTools extends Tools {
  constructor(private readonly process: SimulatedProcess) {
    super();
  }

  override async offered(): Promise<readonly ToolDefinition[]> {
    return this.process.world.scenario.helpers ? [...SERVER_TOOLS, definition(AGENT_TOOL, 'read')] : SERVER_TOOLS;
  }

  override async run(call: ToolCall, _onProgress: (data: Json) => void, signal: AbortSignal): Promise<ToolOutcome> {
    const { world } = this.process;
    await this.process.alive();
    world.executed(call.toolUseId);
    await this.#write(call);
    const stopped = await world.interruptible(world.model.random.chance(0.1) ? 8_000 : world.model.random.between(1, 500), signal);
    await this.process.alive();
    world.observed.ended(call.toolUseId, world.scheduler.now);
    if (this.#writes(call) && !stopped) world.written.add(call.toolUseId);
    return { content: stopped ? 'stopped' : `ran ${call.name}`, isError: stopped };
  }

  /** Its process may die before what it wrote is recorded. */
  async #write(call: ToolCall): Promise<void> {
    if (!this.#writes(call)) return;
    const files = await this.process.folders.use(call);
    await this.process.alive();
    for (const path of [fileOf(call.toolUseId), SHARED_FILE]) files.set(path, { path, mode: 0o644, content: Buffer.from(textOf(call.toolUseId)) });
  }

  #writes({ name }: ToolCall): boolean {
    return this.process.world.scenario.folders && (name === 'Change' || name === 'Bash');
  }
}
