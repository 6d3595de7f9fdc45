import { isClientLine } from '../../../packages/protocol/request/client-lines.js';
import type { Blobs } from '../../ports/index.js';
import { originalBlobsIn, withOriginalBytes } from '../../../packages/normalizer/embedded-messages.js';
import type { SessionState } from '../../session/state/state.js';
import { currentOf, historyOf } from '../../session/transfer/history.js';
import { scheduleLine } from '../../session/transfer/schedules.js';
import { sessionLine } from '../../session/transfer/session-line.js';
import type { ClientLinesLog } from './client-lines-log.js';
import { base64, type BytesOf } from './inline-blobs.js';

/**
 * The settings and schedules, then every message with its images and documents inline, and every rewind and restore; with all branches, at last the lines of an imported file about requests, as
 * the file had them. Blobs are read message by message.
 */
export function exportLines(state: SessionState, branches: 'all' | 'current', of: BytesOf, blobs: Blobs, log: ClientLinesLog): AsyncIterable<object> {
  const settings = sessionLine(state.settings);
  const schedules = [...state.schedules.values()].map(scheduleLine);
  const history = branches === 'all' ? historyOf(state) : currentOf(state); // copied now: the state is mutable
  const ofClient = branches === 'all' ? [...state.clientRecords.lines] : [];
  return lines();

  async function* lines(): AsyncGenerator<object> {
    yield settings;
    yield* schedules;
    for (const step of history) {
      if ('move' in step) {
        yield step.move;
        continue;
      }
      const { message } = step;
      const names = originalBlobsIn(message).map(({ sha256 }) => sha256);
      if (names.length === 0) yield message;
      else yield withOriginalBytes(message, texts(await blobs.get(of.tenantId, of.sessionId, [...new Set(names)])));
    }
    for (const place of ofClient) {
      const line = await log.line(place);
      if (isClientLine(line)) yield line;
    }
  }
}

const texts =
  (found: Awaited<ReturnType<Blobs['get']>>) =>
  (sha256: string): string | undefined => {
    const blob = found.get(sha256);
    return blob && base64(blob.content);
  };
