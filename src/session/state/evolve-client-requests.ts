import { clientLine } from '../../../packages/protocol/request/client-lines.js';
import type { EventData } from '../../../packages/protocol/events/events.js';
import type { SessionState } from './state.js';

/** Of requests with the same id the first one counts. */
export function noteClientLines(
  { clientRecords: { lines: all, requests, ...places } }: SessionState,
  { lines }: EventData['import.retained'],
  seq: number,
  erased: boolean,
): void {
  for (const { line, value } of lines) {
    const read = clientLine(value);
    if (read === null) continue;
    if (!erased) all.push({ seq, line });
    if (read.kind !== 'request') {
      const known = read.hash === null ? undefined : places[`${read.kind}s`].get(read.hash);
      if (known) known.push({ seq, line });
      else if (read.hash !== null) places[`${read.kind}s`].set(read.hash, [{ seq, line }]);
      continue;
    }
    const { id = null, params, timestamp, querySource } = read;
    const { model } = params;
    const key = id ?? `line ${line}`;
    if (requests.has(key)) continue;
    requests.set(key, { id: key, seq, line, model: typeof model === 'string' ? model : null, sentAt: timestamp, querySource, erased });
  }
}
