import { setTimeout as pause } from 'node:timers/promises';
import { SHELL } from '../../support/needs.js';
import { Chance } from '../../support/random.js';
import type { UnknownObject } from '../../support/client.js';
import type { AcceptedPrompt, Promises } from '../../support/ledger.js';
import type { Deployment } from './deployment.js';
import { Follower } from './follower.js';
import { Patient } from './patient.js';

const TOOLS = [{ name: 'lookup', description: 'Looks something up.', input_schema: { type: 'object', properties: {} } }];

const TURN_ENDS: readonly string[] = ['turn.completed', 'turn.interrupted', 'turn.failed'];

/** The longest that a session may take to become idle after the last request. */
const REST_MS = 180_000;

const INPUTS: readonly ((chance: Chance) => string)[] = [
  (chance) => `word ${chance.between(1, 1_000)}`,
  (chance) => `{{slow ${chance.between(1, 15)}}}{{long ${chance.between(20, 120)}}}`,
  (chance) => `{{think let me see ${chance.between(1, 9)}}}{{slow ${chance.between(1, 10)}}}{{long 40}}`,
  (chance) => `{{tool lookup {"q":${chance.between(1, 99)}}}}`,
  () => '{{think which one}}{{slow 3}}{{say two of them}}{{tool lookup {"q":1}}}{{tool lookup {"q":2}}}',
  () => '{{fail 529}}again',
  () => '{{fail 400}}never',
  ...(SHELL.isMet ? [writing] : []),
];

/** A call that appends a line each time it runs. */
function writing(chance: Chance): string {
  return `{{tool Bash ${JSON.stringify({ command: `echo ${chance.between(0, 1e12)} >> lines; sleep 0.${chance.between(0, 3)}` })}}}`;
}

/** The users of one session, who send every kind of request, several at a time, and record the responses. */
export class Users {
  readonly #prompts: AcceptedPrompt[] = [];
  readonly #withdrawn: string[] = [];
  readonly #toolResults: string[] = [];
  readonly #answering = new Set<Promise<void>>();
  readonly #promptOf = new Map<string, string>();
  /** Prompts that have ended. */
  readonly #over = new Set<string>();
  #failure: unknown = null;

  private constructor(
    private readonly patient: Patient,
    private readonly chance: Chance,
    readonly sessionId: string,
    private readonly follower: (onEvent: (event: UnknownObject) => void) => Follower,
  ) {}

  static async arrive(deployment: Deployment, chance: Chance): Promise<Users> {
    const patient = new Patient(deployment, chance);
    const { id } = must(await patient.post('/v1/sessions', { tools: TOOLS, permissionMode: 'bypassPermissions' }), 201);
    return new Users(patient, chance, id, (onEvent) => new Follower(deployment, id, chance.apart('follower'), onEvent));
  }

  /** Sends requests until the session is idle; resolves to the responses that the log must agree with. */
  async talk(): Promise<Promises> {
    const follower = this.follower((event) => this.#onEvent(event));
    try {
      const submitters = Array.from({ length: this.chance.between(1, 3) }, (_, index) => this.#submitter(follower, this.chance.apart(`submitter ${index}`)));
      await Promise.all(submitters);
      await this.#rest(follower);
      while (this.#answering.size > 0) await Promise.all(this.#answering);
      if (this.#failure) throw this.#failure;
      const { version } = must(await this.patient.get(this.#path('')), 200);
      await follower.events.until((events) => events.at(-1)?.seq >= version);
    } finally {
      await follower.close();
    }
    const followed = follower.events.items.map((event) => event.seq);
    return { prompts: this.#prompts, withdrawn: this.#withdrawn, toolResults: this.#toolResults, followed };
  }

  #path(rest: string): string {
    return `/v1/sessions/${this.sessionId}${rest}`;
  }

  async #submitter(follower: Follower, chance: Chance): Promise<void> {
    for (let act = chance.between(3, 6); act > 0; act -= 1) {
      await this.#prompt(chance);
      if (chance.happens(0.3)) await pause(chance.between(0, 150));
      if (chance.happens(0.15)) must(await this.patient.post(this.#path('/interrupt')), 200);
      if (chance.happens(0.2)) await this.#withdraw(chance);
      if (chance.happens(0.4)) await this.#rest(follower);
      if (chance.happens(0.15)) await this.#rewind(follower, chance);
    }
  }

  async #prompt(chance: Chance): Promise<void> {
    const sentAt = performance.now();
    const whenBusy = chance.of(['enqueue', 'enqueue', 'enqueue', 'interrupt', 'reject']);
    const answer = await this.patient.post(this.#path('/prompts'), { input: chance.of(INPUTS)!(chance), whenBusy });
    if (answer.status === 409 && whenBusy === 'reject') return;
    this.#prompts.push({ promptId: must(answer, 202).promptId, sentAt, acceptedAt: performance.now() });
  }

  async #withdraw(chance: Chance): Promise<void> {
    const promptId = chance.of(this.#prompts.filter((prompt) => !this.#over.has(prompt.promptId)))?.promptId;
    if (promptId === undefined) return;
    const answer = await this.patient.delete(this.#path(`/queue/${promptId}`));
    if (answer.status === 200) this.#withdrawn.push(promptId);
    else must(answer, 409);
  }

  /** Rewinds to before some prompt, and sometimes restores. A concurrent request may win. */
  async #rewind(follower: Follower, chance: Chance): Promise<void> {
    const prompts = follower.events.items.filter((event) => event.type === 'message.appended' && event.data.promptId);
    const before = chance.of(prompts)?.data.message.uuid;
    if (before === undefined) return;
    const answer = await this.patient.post(this.#path('/rewinds'), { before, interrupt: chance.happens(0.3) });
    if (answer.status === 409) return;
    const { id } = must(answer, 201);
    if (!chance.happens(0.4)) return;
    const restored = await this.patient.post(this.#path(`/rewinds/${id}/restore`));
    if (restored.status !== 409) must(restored, 201);
  }

  #onEvent(event: UnknownObject): void {
    const { turnId, promptId } = event.data;
    if (event.type === 'turn.started') this.#promptOf.set(turnId, promptId);
    if (event.type === 'prompt.withdrawn') this.#over.add(promptId);
    if (TURN_ENDS.includes(event.type)) this.#over.add(this.#promptOf.get(turnId)!);
    if (event.type !== 'turn.waiting') return;
    const answering = this.#answer(event.data.toolUseIds)
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => this.#answering.delete(answering));
    this.#answering.add(answering);
  }

  /** All results at once or one by one, sometimes twice concurrently: a result counts once. */
  async #answer(toolUseIds: readonly string[]): Promise<void> {
    const parts = this.chance.happens(0.5) ? [toolUseIds] : toolUseIds.map((id) => [id]);
    const post = async (ids: readonly string[], text: string): Promise<void> => {
      const results = ids.map((toolUseId) => ({ toolUseId, content: `${text} ${toolUseId}` }));
      const answer = await this.patient.post(this.#path('/tool-results'), { results });
      if (answer.status !== 409) this.#toolResults.push(...(must(answer, 202) && results.map(({ content }) => content)));
    };
    await Promise.all(parts.flatMap((ids) => (this.chance.happens(0.3) ? [post(ids, 'one'), post(ids, 'other')] : [post(ids, 'only')])));
  }

  /** Until every prompt that was accepted so far has ended. */
  async #rest(follower: Follower): Promise<void> {
    const wanted = this.#prompts.map((prompt) => prompt.promptId);
    const late = setTimeout(() => {
      this.#failure ??= new Error(`session ${this.sessionId} did not come to rest; its log: ${follower.events.items.map((event) => event.type).join(' ')}`);
      follower.events.add({ type: 'late' });
    }, REST_MS);
    await follower.events.until(() => this.#failure !== null || wanted.every((promptId) => this.#over.has(promptId)));
    clearTimeout(late);
    if (this.#failure) throw this.#failure;
  }
}

/** The body of an answer that may only be of that status. */
function must(answer: { readonly status: number; readonly body: UnknownObject }, status: number): UnknownObject {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
