/** One message of a `text/event-stream` response. */
export interface Frame {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
  /** The server's reconnection delay in milliseconds; null when the message has none. */
  readonly retry: number | null;
}

/** Parses the text of an event stream, which may arrive in pieces of any size (source: HTML, Server-sent events, 9.2.6). */
export class FrameParser {
  #rest = '';

  /** The messages that `text` completes. Those without data, such as comments, are included, with empty data: they show that the server is there. */
  push(text: string): readonly Frame[] {
    // A carriage return at the end may be half of a line break.
    const all = this.#rest + text;
    const usable = all.endsWith('\r') ? all.slice(0, -1) : all;
    const blocks = usable.replace(/\r\n?/g, '\n').split('\n\n');
    this.#rest = (blocks.pop() ?? '') + all.slice(usable.length);
    return blocks.map(frameOf);
  }
}

function frameOf(block: string): Frame {
  const frame = { id: null as string | null, event: 'message', data: [] as string[], retry: null as number | null };
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'id') frame.id = value;
    else if (field === 'event') frame.event = value;
    else if (field === 'data') frame.data.push(value);
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) frame.retry = Number(value);
  }
  return { ...frame, data: frame.data.join('\n') };
}
