import { isClientLine } from '../../../packages/protocol/request/client-lines.js';
import type { Blobs } from '../../ports/index.js';
import { originalBlobsIn, withOriginalBytes } from '../../../packages/normalizer/embedded-messages.js';
import type { WorkspaceFile } from '../../../packages/protocol/events/events.js';
import type { SessionState } from '../../session/state/state.js';
import { contentLines, versionLines } from '../../session/transfer/file-lines.js';
import { currentOf, historyOf } from '../../session/transfer/history.js';
import { scheduleLine } from '../../session/transfer/schedules.js';
import { sessionLine } from '../../session/transfer/session-line.js';
import type { ClientLinesLog } from './client-lines-log.js';
import { batched } from '../turn/batched.js';
import { base64, type BytesOf } from './inline-blobs.js';

/** Contents of files that are in memory at once, in bytes. */
const BATCH_BYTES = 16 * 1024 * 1024;

/**
 * The settings and schedules, then every message with its images and documents inline, every change of the session's folder, its contents before it, each once, and every rewind and restore; with all branches, at last the lines of an imported file about requests, as
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
    const told = new Set<string>();
    for (const step of history) {
      if ('move' in step) {
        yield step.move;
        continue;
      }
      if ('filesAt' in step) {
        yield step.filesAt;
        continue;
      }
      if ('version' in step) {
        yield* contents(step.version.files.filter(({ sha256 }) => !told.has(sha256) && told.add(sha256)));
        yield* versionLines(step.version);
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

  /** What was erased has no content: an import names it. */
  async function* contents(files: readonly WorkspaceFile[]): AsyncGenerator<object> {
    for (const batch of batched(files, ({ size }) => size, BATCH_BYTES)) {
      const found = await blobs.get(
        of.tenantId,
        of.sessionId,
        batch.map(({ sha256 }) => sha256),
      );
      for (const [sha256, { content }] of found) yield* contentLines(sha256, content, base64);
    }
  }
}

const texts =
  (found: Awaited<ReturnType<Blobs['get']>>) =>
  (sha256: string): string | undefined => {
    const blob = found.get(sha256);
    return blob && base64(blob.content);
  };
