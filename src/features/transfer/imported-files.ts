import {
  type ImportReport,
  LINK_MODE,
  type NewEvent,
  type SkipReason,
  type SkippedLine,
  type WorkspaceFile,
} from '../../../packages/protocol/events/events.js';
import { Pace } from '../../engine/queries/pace.js';
import type { OfSession } from '../../engine/media/fit-image.js';
import { LINK_BYTES, linkTarget, unrecordable } from '../../engine/tools/workspaces/snapshot/recordable.js';
import type { Settings } from '../../platform/config/env.js';
import type { Blobs, Digest } from '../../ports/index.js';
import { changeEvent, changeIn, type ChangeLine } from '../../session/transfer/file-lines.js';
import type { ImportFile } from '../../session/transfer/import-file.js';
import { MOST_LISTED } from '../../session/transfer/report.js';
import type { PlannedContent, PlannedFiles, PlannedVersion } from '../../session/transfer/planned-files.js';

const OCTETS = 'application/octet-stream';

/** The files of a session's folder that an imported file brings. At most one content is in memory. */
export class ImportedFiles {
  readonly #stored = new Map<string, number>();
  /** Of changes with files that are not kept: the place of each file among those that are; null: it is not. */
  readonly #places = new Map<string, readonly (number | null)[]>();
  readonly #faults: SkippedLine[] = [];
  readonly #pace = new Pace();

  constructor(
    private readonly of: OfSession,
    private readonly planned: PlannedFiles,
    private readonly file: ImportFile,
    private readonly settings: Pick<Settings, 'FILE_FOLDER_DEPTH' | 'WORKSPACE_FILE_BYTES' | 'WORKSPACE_IGNORE'>,
    private readonly blobs: Blobs,
    private readonly digest: Digest,
  ) {}

  /** `admit`: gets the bytes that are new to the session, and throws when they are too many. */
  async requireRoom(admit: (bytes: number) => Promise<void>): Promise<void> {
    const there = new Set(await this.blobs.list(this.of.tenantId, this.of.sessionId)); // of an import that is continued
    await admit(this.#kept().reduce((sum, [sha256, { size }]) => (there.has(sha256) ? sum : sum + size), 0));
  }

  /** Stores the contents, each once, if they have the hash that the file says. */
  async store(): Promise<void> {
    const { tenantId, sessionId } = this.of;
    for (const [sha256, content] of this.#kept()) {
      const bytes = await this.#bytes(content);
      if (this.digest.sha256(bytes) !== sha256) {
        this.#faults.push({ line: content.lines[0]!, reason: 'is a content with another hash than the line says; files of it are left out' });
        continue;
      }
      await this.blobs.put(tenantId, sessionId, OCTETS, bytes);
      this.#stored.set(sha256, bytes.length);
    }
  }

  /** The event of a change. Files whose content is not there, or that a folder here cannot have, are named in it as skipped. */
  async change({ version, lines, prompt }: PlannedVersion): Promise<NewEvent> {
    const read: ChangeLine[] = [];
    for (const line of lines) {
      const change = changeIn(await this.file.read(line));
      if (change === null) throw new Error('a line of the file has changed since it was read');
      read.push(change);
    }
    const files = read.flatMap((change) => change.files);
    const links = await this.#targets(files);
    let kept = 0;
    const places = files.map((file) => (this.#refusal(file, links) === null ? kept++ : null));
    if (kept < files.length) {
      this.#places.set(version, places);
      const refused = files.length - kept;
      this.#faults.push({ line: lines[0]!, reason: `is a change with ${refused} files whose content is not there, or that a folder cannot have here` });
    }
    return changeEvent(
      read,
      prompt,
      (file) => this.#refusal(file, links),
      (of, index) => this.#place(of, index),
    );
  }

  /** With what was found while the contents were stored. */
  report(report: ImportReport): ImportReport {
    const { versions, current } = this.planned;
    const bytes = [...this.#stored.values()].reduce((sum, size) => sum + size, 0);
    return {
      ...report,
      skipped: [...report.skipped, ...this.#faults].slice(0, MOST_LISTED),
      skippedTotal: report.skippedTotal + this.#faults.length,
      files: { versions: versions.length, contents: this.#stored.size, bytes, current },
    };
  }

  #kept(): readonly (readonly [string, PlannedContent])[] {
    return [...this.planned.contents].filter(([, { size }]) => size <= this.settings.WORKSPACE_FILE_BYTES);
  }

  /** A file that is kept could have been recorded here: it can be written into a folder, and is found there again. */
  #refusal({ path, mode, sha256, size }: WorkspaceFile, links: ReadonlyMap<string, Buffer>): SkipReason | null {
    if (size > this.settings.WORKSPACE_FILE_BYTES) return 'too_large';
    if (this.#stored.get(sha256) !== size) return 'missing';
    const target = links.get(sha256);
    if (mode === LINK_MODE && (target === undefined || linkTarget(path, target) === null)) return 'link_outside';
    return unrecordable(path, { depth: this.settings.FILE_FOLDER_DEPTH, ignored: this.settings.WORKSPACE_IGNORE });
  }

  /** Where an earlier file is now. */
  #place(version: string, index: number): number | null {
    const places = this.#places.get(version);
    return places === undefined ? index : (places[index] ?? null);
  }

  async #targets(files: readonly WorkspaceFile[]): Promise<ReadonlyMap<string, Buffer>> {
    const targets = new Map<string, Buffer>();
    for (const { mode, sha256, size } of files) {
      const content = mode === LINK_MODE && size <= LINK_BYTES ? this.planned.contents.get(sha256) : undefined;
      if (content) targets.set(sha256, await this.#bytes(content));
    }
    return targets;
  }

  async #bytes({ lines }: PlannedContent): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (const line of lines) {
      const { data } = (await this.file.read(line)) as { readonly data: string };
      parts.push(Buffer.from(data, 'base64'));
      await this.#pace.after(data.length);
    }
    return Buffer.concat(parts);
  }
}
