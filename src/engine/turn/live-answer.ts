import type { Json } from '../../../packages/protocol/message/content.js';
import { OpenBlocks } from '../../../packages/protocol/message/open-blocks.js';
import { LiveBus, type LiveSignal, type ModelDelta, unfinishedChannel } from '../../ports/index.js';

/** Readers that join within this time get the answer together, in milliseconds. */
const TOGETHER_MS = 100;
/** The least time between two repetitions, in milliseconds: each of them sends the whole answer to all readers, however often one of them joins. */
const APART_MS = 1_000;

/**
 * An answer that streams, for those who read the session. What has been written is kept for readers that join in the middle of it: when one asks, each block is published once more. Readers that have
 * a block ignore that. A summary is shown to none.
 */
export class LiveAnswer {
  readonly #blocks = new OpenBlocks();
  readonly #unsubscribe: () => void = () => undefined;
  readonly #publish: (delta: ModelDelta) => void;
  #repeats: NodeJS.Timeout | null = null;
  #repeatedAt = -Infinity;

  constructor(
    live: Pick<LiveBus, 'publish' | 'subscribe'>,
    of: { readonly sessionId: string; readonly turnId: string; readonly requestId: string },
    private readonly purpose: 'answer' | 'compaction',
  ) {
    const { sessionId, turnId, requestId } = of;
    // `purpose` lets clients that render deltas tell a summary from an answer.
    const about = { turnId, requestId, ...(purpose === 'answer' ? {} : { purpose }) };
    this.#publish = (delta) => live.publish({ kind: 'delta', sessionId, type: 'message.delta', data: { ...about, ...delta } as unknown as Json });
    if (purpose === 'answer') this.#unsubscribe = live.subscribe(unfinishedChannel(sessionId), (signal) => this.#onSignal(signal), 'hints');
  }

  get hasStarted(): boolean {
    return this.#blocks.length > 0;
  }

  publish(delta: ModelDelta): void {
    if (this.purpose === 'answer' || !this.hasStarted) this.#keep(delta);
    this.#publish(delta);
  }

  end(): void {
    this.#unsubscribe();
    if (this.#repeats) clearTimeout(this.#repeats);
  }

  #keep({ index, start, delta }: ModelDelta): void {
    if (start !== undefined) this.#blocks.start(start as Record<string, unknown>);
    if (delta !== undefined) this.#blocks.extend(index, delta as Record<string, unknown>);
  }

  #onSignal(signal: LiveSignal): void {
    if (signal.kind !== 'advanced' || signal.seq === 0) return; // signals may have been missed, and no reader asks
    this.#repeats ??= setTimeout(
      () => {
        this.#repeats = null;
        this.#repeatedAt = performance.now();
        this.#blocks.deltas().forEach(this.#publish);
      },
      Math.max(TOGETHER_MS, this.#repeatedAt + APART_MS - performance.now()),
    );
  }
}
