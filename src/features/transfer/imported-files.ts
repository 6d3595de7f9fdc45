import type { ImportReport, NewEvent, SkipReason, SkippedLine, WorkspaceFile } from '../../../packages/protocol/events/events.js';
import { Pace } from '../../engine/queries/pace.js';
import type { OfSession } from '../../engine/media/fit-image.js';
import { leadsOut } from '../../engine/tools/workspaces/snapshot/scan.js';
import type { Settings } from '../../platform/config/env.js';
import type { Blobs, Digest } from '../../ports/index.js';
import { changeEvent, changeIn, type ChangeLine, LINK_MODE } from '../../session/transfer/file-lines.js';
import type { ImportFile } from '../../session/transfer/import-file.js';
import type { PlannedContent, PlannedFiles, PlannedVersion } from '../../session/transfer/planned-files.js';

const OCTETS = 'application/octet-stream';

/** Bytes of the longest target of a link. */
const MOST_LINK_BYTES = 4_096;

/** Lines that are listed as skipped. */
const MOST_LISTED = 200;

/** The files of a session's folder that an imported file brings. At most one content is in memory. */
export class ImportedFiles {
  readonly #stored = new Map<string, number>();
  /** Of files that are not kept: their places in the changes that named them. */
  readonly #refused = new Map<string, readonly number[]>();
  readonly #faults: SkippedLine[] = [];
  readonly #pace = new Pace();

  constructor(
    private readonly of: OfSession,
    private readonly planned: PlannedFiles,
    private readonly file: ImportFile,
    private readonly settings: Pick<Settings, 'WORKSPACE_FILE_BYTES'>,
    private readonly blobs: Blobs,
    private readonly digest: Digest,
  ) {}

  /** Stores the contents, each once, if they have the hash that the file says. `admit`: gets the bytes that are new to the session, and throws when they are too many. */
  async store(admit: (bytes: number) => Promise<void>): Promise<void> {
    const { tenantId, sessionId } = this.of;
    const there = new Set(await this.blobs.list(tenantId, sessionId)); // of an import that is continued
    const kept = [...this.planned.contents].filter(([, { size }]) => size <= this.settings.WORKSPACE_FILE_BYTES);
    await admit(kept.reduce((sum, [sha256, { size }]) => (there.has(sha256) ? sum : sum + size), 0));
    for (const [sha256, content] of kept) {
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
    const places: number[] = [];
    files.forEach((file, index) => {
      if (this.#refusal(file, links) !== null) places.push(index);
    });
    if (places.length > 0) {
      this.#refused.set(version, places);
      this.#faults.push({ line: lines[0]!, reason: `is a change with ${places.length} files whose content is not there, or that a folder cannot have here` });
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

  #refusal({ path, mode, sha256, size }: WorkspaceFile, links: ReadonlyMap<string, string>): SkipReason | null {
    if (size > this.settings.WORKSPACE_FILE_BYTES) return 'too_large';
    if (this.#stored.get(sha256) !== size) return 'missing';
    if (mode !== LINK_MODE) return null;
    const target = links.get(sha256);
    return target === undefined || leadsOut(path, target) ? 'link_outside' : null;
  }

  /** Where an earlier file is, without those before it that are not kept. */
  #place(version: string, index: number): number | null {
    const refused = this.#refused.get(version) ?? [];
    return refused.includes(index) ? null : index - refused.filter((at) => at < index).length;
  }

  async #targets(files: readonly WorkspaceFile[]): Promise<ReadonlyMap<string, string>> {
    const targets = new Map<string, string>();
    for (const { mode, sha256, size } of files) {
      const content = mode === LINK_MODE && size <= MOST_LINK_BYTES ? this.planned.contents.get(sha256) : undefined;
      if (content) targets.set(sha256, Buffer.from(await this.#bytes(content)).toString('utf8'));
    }
    return targets;
  }

  async #bytes({ lines }: PlannedContent): Promise<Uint8Array> {
    const parts: Buffer[] = [];
    for (const line of lines) {
      const { data } = (await this.file.read(line)) as { readonly data: string };
      parts.push(Buffer.from(data, 'base64'));
      await this.#pace.after(data.length);
    }
    return Buffer.concat(parts);
  }
}
