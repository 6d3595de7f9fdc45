import type { Frame } from '../stream/frame.js';
import type { LiveFrame, StreamFormat } from '../stream/stream-format.js';
import type { Chunk } from './chunks.js';
import type { TurnChunks } from './turn-chunks.js';

export const UI_STREAM_HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' } as const;

export const DONE = 'data: [DONE]\n\n';

export const chunkText = (chunks: readonly Chunk[]): string => chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');

/** One turn as a UI message stream, which ends when the turn is over or waits for the client. */
export class UiFormat implements StreamFormat {
  readonly isShared = false;
  readonly headers = UI_STREAM_HEADERS;
  readonly cutsOff = true;

  constructor(
    private readonly turn: TurnChunks,
    private readonly start: Chunk,
  ) {}

  get opening(): string {
    return chunkText([this.start]);
  }

  stored({ event }: Frame): string {
    return chunkText(this.turn.stored(event));
  }

  live({ type, data }: LiveFrame): string {
    return chunkText(this.turn.live(type, data));
  }

  synced(): string {
    return '';
  }

  closing(): string | null {
    const chunks = this.turn.closing;
    return chunks && chunkText(chunks) + DONE;
  }
}
