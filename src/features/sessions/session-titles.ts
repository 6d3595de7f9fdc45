import { systemPrincipal } from '../../../packages/protocol/access/principal.js';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Admission } from '../../engine/commands/admission.js';
import { OWN_REQUEST } from '../../engine/commands/context.js';
import { Executor, WORKER_ID } from '../../engine/commands/execute.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { textOf } from '../../../packages/protocol/message/content.js';
import { uuidFromSha256 } from '../../../packages/protocol/message/ids.js';
import { Clock, Digest, type Job, Model, Sessions, Telemetry } from '../../ports/index.js';
import { needsTitle, titleIn, titleRequest } from '../../session/transcript/title.js';

/** How long the model may take for a title. */
const TIMEOUT_MS = 30_000;
const MAX_TOKENS = 100;

/** Has the model name a session after its first completed turn. A failure is counted and logged, and the session stays without a title. */
@Injectable()
export class SessionTitles {
  readonly #log = new Logger(SessionTitles.name);
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(
    private readonly executor: Executor,
    private readonly sessions: Sessions,
    private readonly model: Model,
    private readonly clock: Clock,
    private readonly digest: Digest,
    private readonly telemetry: Telemetry,
    private readonly admission: Admission,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'TITLES' | 'TITLE_MODEL'>,
  ) {}

  /** Returns at once; the turn is over. */
  afterTurn({ tenantId, sessionId }: Job['payload']): void {
    if (this.settings.TITLES === 'off' || this.#stopping.signal.aborted) return;
    const running = this.#title(tenantId, sessionId)
      .catch((error: unknown) => {
        this.telemetry.count('titles', { outcome: 'failed' });
        this.#log.warn({ msg: 'The session gets no title.', sessionId, err: error });
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Aborts what is running. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  async #title(tenantId: string, sessionId: string): Promise<void> {
    const state = await this.sessions.load(tenantId, sessionId);
    const request = needsTitle(state) ? titleRequest(state) : null;
    if (request === null) return;
    const model = this.settings.TITLE_MODEL ?? state.settings.model;
    // TITLE_MODEL is the operator's choice; the model of the session may no longer be allowed.
    if (this.settings.TITLE_MODEL === undefined) await this.admission.models({ tenantId, userId: state.ownerId ?? '' }, () => [model]);
    const body = JSON.stringify({ model, max_tokens: MAX_TOKENS, stream: true, messages: [{ role: 'user', content: [{ type: 'text', text: request }] }] });
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const { message, usage } = await this.model.answer(
      { tenantId, body: Buffer.from(body), model, requestId: this.clock.uuid(), ordinal: 1, betas: this.model.betas },
      () => undefined,
      signal,
    );
    const title = titleIn(textOf(message.content));
    if (title === null) throw new Error('the answer contains no title');
    const principal = systemPrincipal(tenantId, WORKER_ID);
    const commandId = uuidFromSha256(this.digest.sha256(`${sessionId}:title`));
    const context = { principal, sessionId, commandId, requestHash: OWN_REQUEST, expectedVersion: null };
    const { events } = await this.executor.execute(context, { type: 'SetTitle', title, model, usage });
    this.telemetry.count('titles', { outcome: events.length > 0 ? 'set' : 'not_needed' });
  }
}
