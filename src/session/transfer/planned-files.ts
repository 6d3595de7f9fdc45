import type { UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { changeIn, isCount, SHA256 } from './file-lines.js';
import type { ImportOptions } from './plan.js';
import { uuidIn } from './shape.js';

/** A change of the files that an import repeats. Contains no paths: they are read again from its lines. */
export interface PlannedVersion {
  readonly lines: readonly number[];
  readonly bytes: number;
  /** Number of the messages before it. */
  readonly after: number;
  readonly line: number;
  readonly version: string;
  readonly base: string | null;
  /** The message of the prompt whose turn has made it; absent: a call has, or something else. */
  readonly prompt?: string;
}

/** Where a content is in the file. */
export interface PlannedContent {
  readonly lines: readonly number[];
  /** Bytes. */
  readonly size: number;
}

/** What a file brings of a session's folder. */
export interface PlannedFiles {
  readonly versions: readonly PlannedVersion[];
  /** By SHA-256, those that are there as a whole, before the first change that names them. */
  readonly contents: ReadonlyMap<string, PlannedContent>;
  /** The version that the files are at. */
  readonly current: string | null;
}

/** Reads the lines about files. Each method tells why a line is left out; null: it is not. */
export class FilesPlanner {
  readonly #versions: PlannedVersion[] = [];
  readonly #known = new Set<string>();
  readonly #contents = new Map<string, PlannedContent>();
  /** The content, or the change, whose further lines follow. */
  #partial: { readonly sha256: string; readonly lines: number[]; readonly size: number; bytes: number } | null = null;
  #open: (PlannedVersion & { readonly lines: number[]; bytes: number; files: number; deleted: number }) | null = null;
  #next: { readonly at: string | null; readonly before: string | null } | null = null;
  #head: string | null = null;

  constructor(private readonly options: Pick<ImportOptions, 'maxFiles'>) {}

  add(line: number, bytes: number, value: UnknownObject, after: number, uuidOf: (name: string) => string | undefined): string | null {
    switch (value['type']) {
      case 'content':
        return this.#content(line, value);
      case 'files':
        return this.#version(line, bytes, value, after, uuidOf);
      default:
        return this.#filesAt(value);
    }
  }

  /** The files of the next message, where a line says so. */
  take(): { readonly at: string | null; readonly before: string | null } | undefined {
    const next = this.#next ?? undefined;
    this.#next = null;
    return next;
  }

  knows(version: unknown): boolean {
    return this.#named(version) !== undefined;
  }

  /** What a move says about files. */
  moved(value: unknown): { readonly from: string | null; readonly to: string | null } | undefined {
    const to = this.#named((value as UnknownObject | undefined)?.['to']);
    if (to === undefined) return undefined;
    const from = this.#head;
    this.#head = to;
    return { from, to };
  }

  finish(): PlannedFiles | null {
    return this.#versions.length === 0 ? null : { versions: this.#versions, contents: this.#contents, current: this.#head };
  }

  #content(line: number, { sha256, size, at, data }: UnknownObject): string | null {
    const isPart = typeof sha256 === 'string' && SHA256.test(sha256) && isCount(size) && isCount(at) && typeof data === 'string' && data.length % 4 === 0;
    if (!isPart) return 'is a content without its hash, its size or its bytes';
    if (this.#contents.has(sha256)) return 'has a content that is there already';
    const found = at === 0 ? { sha256, lines: [], size, bytes: 0 } : this.#partial;
    if (found === null || found.sha256 !== sha256 || found.size !== size || found.bytes !== at)
      return 'is a part of a content that does not follow the part before it';
    found.lines.push(line);
    found.bytes += (data.length / 4) * 3 - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);
    this.#partial = found;
    if (found.bytes > size) return 'has more bytes than its content';
    if (found.bytes === size) {
      this.#contents.set(sha256, { lines: found.lines, size });
      this.#partial = null;
    }
    return null;
  }

  #version(line: number, bytes: number, value: UnknownObject, after: number, uuidOf: (name: string) => string | undefined): string | null {
    const change = changeIn(value);
    if (change === null) return 'is no readable change of files';
    const { version, base } = change;
    const before = this.#open?.version === version ? this.#open : { files: 0, deleted: 0 };
    const counts = { files: before.files + change.files.length, deleted: before.deleted + change.deleted.length };
    if (Math.max(counts.files, counts.deleted) > this.options.maxFiles) return 'names more files than a folder may have';
    if (this.#open?.version === version) {
      Object.assign(this.#open, counts);
      this.#open.lines.push(line);
      this.#open.bytes += bytes;
      if (value['more'] !== true) this.#open = null;
      return null;
    }
    if (this.#known.has(version)) return 'is a change of files that is there already';
    if (base !== null && !this.#known.has(base)) return 'changes files of a version that is not before it';
    const prompt = change.prompt === null ? undefined : uuidOf(change.prompt);
    const planned = { lines: [line], bytes, after, line, version, base, ...(prompt === undefined ? {} : { prompt }), ...counts };
    this.#open = value['more'] === true ? planned : null;
    this.#known.add(version);
    this.#versions.push(planned);
    if (base === this.#head) this.#head = version;
    return null;
  }

  #filesAt({ at: given, before: earlier }: UnknownObject): string | null {
    const [at, before] = [this.#named(given), this.#named(earlier)];
    if (at === undefined || before === undefined) return 'names a version of files that is not before it';
    this.#next = { at, before };
    this.#head = at;
    return null;
  }

  #named(name: unknown): string | null | undefined {
    if (name === null) return null;
    const version = uuidIn(name);
    return version !== null && this.#known.has(version) ? version : undefined;
  }
}
