import { CompactCommand, CompactHandler } from '../../src/engine/commands/compact.js';
import { EraseMessageCommand, EraseMessageHandler } from '../../src/features/erasure/erase-message.js';
import { ForkSessionCommand, ForkSessionHandler } from '../../src/engine/commands/fork-session.js';
import { InterruptCommand } from '../../src/engine/commands/interrupt.js';
import { CreateSessionCommand } from '../../src/engine/commands/create-session.js';
import { DecideToolCommand } from '../../src/engine/commands/decide-tool.js';
import { PostToolResultsCommand, PostToolResultsHandler } from '../../src/engine/commands/post-tool-results.js';
import { RegenerateCommand, RegenerateHandler } from '../../src/engine/commands/regenerate.js';
import { RestoreCommand } from '../../src/engine/commands/restore.js';
import { RewindCommand, RewindHandler } from '../../src/engine/commands/rewind.js';
import { SubmitPromptCommand, SubmitPromptHandler } from '../../src/engine/commands/submit-prompt.js';
import { WithdrawPromptCommand } from '../../src/engine/commands/withdraw-prompt.js';
import type { CommandContext } from '../../src/engine/commands/context.js';
import { CachedSessions } from '../../src/engine/store/cached-sessions.js';
import { inherited } from '../../src/session/decide/fork.js';
import { textOf } from '../../packages/protocol/message/content.js';
import { DomainError } from '../../packages/protocol/errors.js';
import { evolve } from '../../src/session/state/evolve.js';
import { emptyState, type SessionState } from '../../src/session/state/state.js';
import { callsThatAre } from '../../src/session/state/tool-calls.js';
import { forgotten } from './erased-texts.js';
import type { SimulatedProcess } from './process.js';
import type { Random } from './random.js';
import type { World } from './world.js';
import { authorizedCaller, principalOf } from '../../packages/protocol/access/principal.js';

const TENANTS = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000c'] as const;
const USER = '00000000-0000-4000-8000-00000000000b';

const SETTINGS = {
  title: null,
  model: 'claude-sonnet-5-5',
  system: null,
  context: {},
  systemContext: {},
  permissionMode: 'default' as const,
  permissions: { allow: [], deny: [], ask: [] },
  tools: [{ name: 'Ask', input_schema: { type: 'object' } }],
  metadata: {},
};

/** How long a client waits for an answer before it sends the command again, to another process. */
const PATIENCE_MS = 4_000;

interface Sent {
  readonly context: CommandContext;
  readonly make: Make;
  readonly answer: Outcome;
}

/** What a process answers when the same command may succeed later. */
const TRY_AGAIN: readonly unknown[] = ['unavailable', 'version_conflict', 'session_busy'];

/** Without faults, every process has forgotten what was erased after so many milliseconds. */
const FORGET_MS = 200;

/** Running turns that one erasure interrupts at most. */
const STOPS_OF_AN_ERASURE = 5;

type Make = (process: SimulatedProcess, context: CommandContext) => Promise<object>;
type Outcome = { readonly answer: Readonly<Record<string, unknown>> } | { readonly code: string };

/** What a client was told, to be compared with the log. */
export interface Told {
  readonly prompts: { readonly promptId: string; readonly sentAt: number; readonly acceptedAt: number }[];
  readonly withdrawn: Set<string>;
  /** Command ids that were meant to interrupt a turn, repeats not counted. */
  interrupts: number;
  readonly mismatches: string[];
  /** Texts of prompts that were erased. */
  readonly erased: string[];
  /** What processes answered instead of a result, each with its time. */
  readonly refused: { readonly code: string; readonly at: number; readonly process: string }[];
}

/** One user of one session: sends commands, repeats them until they are answered, and now and then sends an answered one once more. */
export class SimulatedClient {
  readonly sessionId: string;
  readonly told: Told = { prompts: [], withdrawn: new Set(), interrupts: 0, mismatches: [], erased: [], refused: [] };
  readonly tenantId: string;
  readonly #history: Sent[] = [];
  readonly #random: Random;
  #state: SessionState | null = null;
  readonly #isFork: boolean;
  /** Of forks of this session that have not come to rest. */
  readonly forks: SimulatedClient[] = [];

  constructor(
    private readonly world: World,
    private readonly prompts: number,
    readonly number: number,
    /** Of a session that exists. */
    forkId: string | null = null,
  ) {
    this.#random = world.random.fork();
    this.sessionId = forkId ?? world.ids.uuid();
    this.tenantId = TENANTS[number % world.scenario.tenants]!;
    this.#isFork = forkId !== null;
  }

  async run(): Promise<void> {
    if (!this.#isFork) await this.create();
    while (this.told.prompts.length < this.prompts) {
      await this.#act();
      await this.world.scheduler.sleep(this.#random.chance(0.3) ? this.#random.between(500, 4_000) : this.#random.between(0, 200));
    }
    await Promise.all(this.forks.map((fork) => fork.run()));
  }

  async create(on: SimulatedProcess | null = null): Promise<void> {
    await this.#send(
      (process, context) => process.injector.get(CreateSessionCommand.handler!).execute(new CreateSessionCommand(context, { settings: SETTINGS })),
      on,
    );
    // The answer to a repeated creation is the session as it is then.
    this.#history.length = 0;
  }

  /** A prompt through the given process. */
  probe(process: SimulatedProcess, mode: 'prompt' | 'bash' = 'prompt'): Promise<void> {
    return this.#submit('enqueue', null, process, mode);
  }

  /** Answers what the session waits for, mostly; what stays unanswered expires. */
  async answerCalls(): Promise<void> {
    const state = await this.state();
    const turn = state.turn;
    if (!turn || turn.status !== 'waiting') return;
    for (const { toolUseId } of callsThatAre('awaiting_decision', turn)) {
      if (this.#random.chance(0.3) || isIgnored(toolUseId)) continue;
      const decision = this.#random.pick(['allow', 'allow', 'allow', 'reject', 'cancel'] as const);
      const feedback = decision === 'reject' && this.#random.chance(0.5) ? 'use another tool' : null;
      if (decision !== 'allow' && feedback === null) this.told.interrupts += 1;
      await this.#send((process, context) =>
        process.injector
          .get(DecideToolCommand.handler!)
          .execute(new DecideToolCommand(context, { decision: { toolUseId, decision, feedback, updatedInput: null } })),
      );
    }
    for (const { toolUseId } of callsThatAre('awaiting_client', turn)) {
      if (this.#random.chance(0.3) || isIgnored(toolUseId)) continue;
      const results = [{ toolUseId, content: 'result', isError: false }];
      await this.#send((process, context) => process.injector.get(PostToolResultsHandler).execute(new PostToolResultsCommand(context, { results })));
    }
  }

  /** The session as it is now, without latency and faults. Shared: valid until the next call. */
  async state(): Promise<SessionState> {
    const known = (this.#state ??= await this.#first());
    for (const event of await this.world.store.events.load(this.tenantId, this.sessionId, known.version)) if (event.seq > known.version) evolve(known, event);
    return known;
  }

  /** Before the first event. */
  async #first(): Promise<SessionState> {
    const [created] = await this.world.store.events.load(this.tenantId, this.sessionId, 0, 1);
    const from = created?.type === 'session.created' ? created.data.forkedFrom : undefined;
    if (!from) return emptyState();
    return inherited(await new CachedSessions(this.world.store.events, 0).load(this.tenantId, from.sessionId), from);
  }

  async #act(): Promise<void> {
    const roll = this.#random.next();
    if (roll < 0.02) return this.#fork();
    if (roll < 0.05) return this.#compact();
    if (roll < 0.07) return this.erase();
    if (roll < 0.1) return this.#regenerate();
    if (roll < 0.62) return this.#submit('enqueue');
    if (roll < 0.68) return this.#submit('interrupt');
    if (roll < 0.76) return this.#interrupt();
    if (roll < 0.81) return this.#rewind();
    if (roll < 0.83) return this.#edit();
    if (roll < 0.86) return this.#restore();
    if (roll < 0.9) return this.#withdraw();
    return this.#repeat();
  }

  async #submit(
    whenBusy: 'enqueue' | 'interrupt',
    replaced: string | null = null,
    on: SimulatedProcess | null = null,
    given?: 'prompt' | 'bash',
  ): Promise<void> {
    if (whenBusy === 'interrupt') this.told.interrupts += 1;
    const sentAt = this.world.scheduler.now;
    const mode = given ?? (this.#random.chance(0.06) ? ('bash' as const) : ('prompt' as const));
    const input = { input: `prompt ${this.told.prompts.length} of ${this.sessionId}.`, mode };
    const terms = { whenBusy, ...(replaced === null ? {} : { replaces: { before: replaced, cause: 'edit' as const } }) };
    const outcome = await this.#send(
      (process, context) => process.injector.get(SubmitPromptHandler).execute(new SubmitPromptCommand(context, { submission: input, terms })),
      on,
    );
    if ('answer' in outcome) this.told.prompts.push({ promptId: String(outcome.answer['promptId']), sentAt, acceptedAt: this.world.scheduler.now });
  }

  async #compact(): Promise<void> {
    const sentAt = this.world.scheduler.now;
    const outcome = await this.#send((process, context) => process.injector.get(CompactHandler).execute(new CompactCommand(context, { instructions: null })));
    if ('answer' in outcome) this.told.prompts.push({ promptId: String(outcome.answer['promptId']), sentAt, acceptedAt: this.world.scheduler.now });
  }

  async #regenerate(): Promise<void> {
    this.told.interrupts += 1;
    const sentAt = this.world.scheduler.now;
    const outcome = await this.#send((process, context) =>
      process.injector.get(RegenerateHandler).execute(new RegenerateCommand(context, { prompt: null, whenBusy: 'interrupt' })),
    );
    if ('answer' in outcome) this.told.prompts.push({ promptId: String(outcome.answer['promptId']), sentAt, acceptedAt: this.world.scheduler.now });
  }

  /** Another session, which continues from this one. */
  async #fork(): Promise<void> {
    if (this.#isFork || (await this.state()).messages.size === 0) return;
    const forkId = this.world.ids.uuid();
    const outcome = await this.#send((process, context) =>
      process.injector.get(ForkSessionHandler).execute(new ForkSessionCommand(context, { forkId, at: null, title: null })),
    );
    if ('answer' in outcome) this.forks.push(new SimulatedClient(this.world, 1, this.number, forkId));
  }

  /** One of its prompts. */
  async erase(): Promise<void> {
    const state = await this.state();
    const own = [...state.prompts.values()].filter(({ submission }) => (state.messages.get(submission.uuid)?.seq ?? 0) > 0);
    if (own.length === 0) return;
    const { submission } = this.#random.pick(own);
    this.told.interrupts += STOPS_OF_AN_ERASURE;
    for (const fork of this.forks) fork.told.interrupts += STOPS_OF_AN_ERASURE;
    const text = textOf(submission.value);
    this.world.toErase.add(text);
    const outcome = await this.#send((process, context) =>
      process.injector.get(EraseMessageHandler).execute(new EraseMessageCommand(context, { uuid: submission.uuid, reason: null, includeForks: true })),
    );
    if (!('answer' in outcome) || text === '') return;
    this.told.erased.push(text);
    if (!this.world.scenario.faults) this.world.scheduler.after(FORGET_MS, () => void forgotten(this.world, [this, ...this.forks]));
  }

  async #interrupt(): Promise<void> {
    this.told.interrupts += 1;
    await this.#send((process, context) => process.injector.get(InterruptCommand.handler!).execute(new InterruptCommand(context, { reason: null })));
  }

  async #rewind(): Promise<void> {
    const state = await this.state();
    const users = [...state.messages.values()].filter(({ promptId }) => promptId !== null);
    if (users.length === 0) return;
    this.told.interrupts += 1;
    const before = this.#random.pick(users).message.uuid;
    await this.#send((process, context) =>
      process.injector
        .get(RewindHandler)
        .execute(new RewindCommand(context, { target: { before }, reason: null, interrupt: true, files: false, messages: true })),
    );
  }

  async #edit(): Promise<void> {
    const prompts = [...(await this.state()).messages.values()].filter(({ promptId }) => promptId !== null);
    if (prompts.length > 0) await this.#submit('interrupt', this.#random.pick(prompts).message.uuid);
  }

  async #restore(): Promise<void> {
    const rewinds = [...(await this.state()).rewinds.keys()];
    if (rewinds.length === 0) return;
    const rewindId = this.#random.pick(rewinds);
    await this.#send((process, context) => process.injector.get(RestoreCommand.handler!).execute(new RestoreCommand(context, { rewindId })));
  }

  async #withdraw(): Promise<void> {
    const queued = (await this.state()).queue;
    if (queued.length === 0) return;
    const { promptId } = this.#random.pick(queued);
    const outcome = await this.#send((process, context) =>
      process.injector.get(WithdrawPromptCommand.handler!).execute(new WithdrawPromptCommand(context, { promptId })),
    );
    if ('answer' in outcome) this.told.withdrawn.add(promptId);
  }

  /** Sends an answered command again: the answer must be the first one, without what has been erased, and nothing may happen. */
  async #repeat(): Promise<void> {
    if (this.#history.length === 0) return;
    const { context, make, answer } = this.#random.pick(this.#history);
    if (!('answer' in answer)) return;
    const again = await this.#deliver(context, make);
    const shown = (_name: string, value: unknown): unknown => (typeof value === 'string' && this.world.toErase.has(value) ? '' : value);
    const told = (outcome: Outcome): string =>
      'code' in outcome ? outcome.code : JSON.stringify({ ...outcome.answer, version: undefined, replayed: undefined }, shown);
    if (told(again) !== told(answer)) this.told.mismatches.push(`command ${context.commandId}: first ${told(answer)}, repeated ${told(again)}`);
  }

  async #send(make: Make, on: SimulatedProcess | null = null): Promise<Outcome> {
    const commandId = this.world.ids.uuid();
    const principal = authorizedCaller(principalOf({ tenantId: this.tenantId, userId: USER, role: 'member' }), 'session.prompt', 0);
    const context = { principal, sessionId: this.sessionId, commandId, requestHash: 'a'.repeat(64), expectedVersion: null };
    const answer = await this.#deliver(context, make, on);
    this.#history.push({ context, make, answer });
    return answer;
  }

  /** Until a process answers with anything but "unavailable". */
  async #deliver(context: CommandContext, make: Make, on: SimulatedProcess | null = null): Promise<Outcome> {
    const { scheduler } = this.world;
    for (;;) {
      const up = this.world.up;
      if (up.length === 0) await scheduler.sleep(100);
      else {
        const process = on?.status === 'up' ? on : this.#random.pick(up);
        const outcome = await Promise.race([attempt(process, context, make), scheduler.sleep(PATIENCE_MS + 15_000).then(() => null)]);
        const code = outcome === null ? 'no answer' : 'code' in outcome ? outcome.code : null;
        if (code !== null) this.told.refused.push({ code, at: scheduler.now, process: process.name });
        if (outcome && !TRY_AGAIN.includes(code)) return outcome;
      }
      await scheduler.sleep(this.#random.between(10, 300));
    }
  }
}

/** One call in 16 is never answered, so that its wait expires. */
const isIgnored = (toolUseId: string): boolean => toolUseId.startsWith('toolu_0');

async function attempt(process: SimulatedProcess, context: CommandContext, make: Make): Promise<Outcome> {
  try {
    return { answer: (await make(process, context)) as Readonly<Record<string, unknown>> };
  } catch (error) {
    if (error instanceof DomainError) return { code: error.code };
    throw error;
  }
}
