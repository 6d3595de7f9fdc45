import type { z } from 'zod';
import type { Content, Json } from '../../../../packages/protocol/message/content.js';
import { type ToolCall, type ToolOutcome, ToolSet } from '../../../ports/index.js';
import { errorOutcome, inputSchema, parseInput } from '../input.js';
import type { ReadOnlyFolders, Workspaces } from '../workspaces/workspaces.js';
import { runInWorkerThread, type ThreadLimits } from './worker-thread.js';
import { editInput, globInput, grepInput, readInput, writeInput } from './inputs.js';
import type { FileLimits, Operation, OperationResult } from './operation.js';
import type { ToolDefinition } from '../../../../packages/protocol/message/tool-definition.js';

export type FileToolName = Operation['tool'];

export interface FileSettings extends FileLimits, Pick<ThreadLimits, 'timeoutMs'> {}

const TOOLS: { readonly [T in FileToolName]: { readonly schema: z.ZodType; readonly effect: ToolDefinition['effect']; readonly description: string } } = {
  Read: {
    schema: readInput,
    effect: 'read',
    description:
      'Shows a text file with numbered lines, or an image (PNG, JPEG, GIF, WebP). A long text is shown in parts; the result says where to continue. Other binary files cannot be read.',
  },
  Write: {
    schema: writeInput,
    effect: 'edit',
    description: "Creates a file in the session's folder, with its parent folders, or replaces the content of an existing one.",
  },
  Edit: {
    schema: editInput,
    effect: 'edit',
    description: "Replaces a text in a file of the session's folder. The text must match the file exactly, without the line numbers that Read shows.",
  },
  Glob: { schema: globInput, effect: 'read', description: 'Lists the files whose path matches a pattern.' },
  Grep: { schema: grepInput, effect: 'read', description: 'Searches text files for a regular expression.' },
};

/**
 * More than any operation needs: one file's text and a list of names. The limit must not be reached by a single large allocation, at which V8 would abort the
 * whole process.
 */
const MEMORY_PER_MB = 8;
const MEMORY_MB = 256;

/** Tools for the files of a session's folder; folders of skills are readable. */
export class FileTools extends ToolSet {
  readonly #definitions: readonly ToolDefinition[];

  constructor(
    private readonly settings: FileSettings,
    private readonly workspaces: Workspaces,
    enabled: readonly FileToolName[],
    /** What a tenant's sessions may read besides their own folder. */
    private readonly folders: ReadOnlyFolders = () => Promise.resolve([]),
  ) {
    super();
    this.#definitions = enabled.map((name) => {
      const { schema, effect, description } = TOOLS[name];
      return { name, description, input_schema: inputSchema(schema), source: 'builtin', effect };
    });
  }

  override offered(): Promise<readonly ToolDefinition[]> {
    return Promise.resolve(this.#definitions);
  }

  override async run(call: ToolCall, _onProgress: (data: Json) => void, signal: AbortSignal): Promise<ToolOutcome> {
    if (!this.#definitions.some(({ name }) => name === call.name)) return errorOutcome(`There is no tool named ${call.name}.`);
    const tool = call.name as FileToolName;
    const input = parseInput(tool, TOOLS[tool].schema, call.input);
    if ('fault' in input) return errorOutcome(input.fault);
    const workspace = await this.workspaces
      .of(call.tenantId, call.sessionId)
      .catch((error: unknown) => String((error as { readonly code?: unknown }).code ?? 'unknown'));
    if (typeof workspace === 'string') return errorOutcome(`The session's folder cannot be used (${workspace}).`);
    const memoryMb = MEMORY_MB + Math.ceil((MEMORY_PER_MB * this.settings.maxBytes) / 1_048_576);
    const scope = { workspace, folders: await this.folders(call.tenantId) };
    const done = await runInWorkerThread({ tool, input: input.value } as Operation, scope, { ...this.settings, memoryMb }, signal);
    return 'fault' in done ? errorOutcome(done.fault) : { content: contentOf(done), isError: false, toolUseResult: done.result };
  }
}

function contentOf({ text, image }: Exclude<OperationResult, { readonly fault: string }>): Content {
  if (image === undefined) return text;
  return [{ type: 'image', source: { type: 'base64', media_type: image.mediaType, data: image.base64 } }];
}
