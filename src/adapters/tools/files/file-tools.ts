import type { z } from 'zod';
import type { Json } from '../../../core/message/content.js';
import { type ToolCall, type ToolOutcome, ToolSet } from '../../../core/ports.js';
import { checked, inputSchema, refused } from '../input.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import { runInWorkerThread, type ThreadLimits } from './worker-thread.js';
import { editInput, globInput, grepInput, readInput, writeInput } from './inputs.js';
import type { Confines, Operation } from './operation.js';
import type { ToolDefinition } from '../../../core/message/tool-definition.js';

export type FileToolName = Operation['tool'];

export interface FileSettings extends Pick<Confines, 'characters' | 'maxBytes' | 'maxEntries'>, Pick<ThreadLimits, 'timeoutMs'> {}

const TOOLS: { readonly [T in FileToolName]: { readonly schema: z.ZodType; readonly effect: ToolDefinition['effect']; readonly description: string } } = {
  Read: {
    schema: readInput,
    effect: 'read',
    description:
      "Shows a text file of the session's folder with its lines numbered. Of a long file it shows a part, and says how to go on. Images and other binary files cannot be read.",
  },
  Write: {
    schema: writeInput,
    effect: 'edit',
    description: "Makes a file in the session's folder, with the folders above it, or gives an existing one other content.",
  },
  Edit: {
    schema: editInput,
    effect: 'edit',
    description:
      "Replaces a text in a file of the session's folder by another. The text must be given exactly as it stands there, without the line numbers that Read shows.",
  },
  Glob: { schema: globInput, effect: 'read', description: "Lists the files of the session's folder whose path fits a pattern." },
  Grep: { schema: grepInput, effect: 'read', description: "Looks for a regular expression in the text files of the session's folder." },
};

/**
 * Far more than any operation needs: none holds more than one file's text, and a list of names. It must not come to the limit by one large allocation, for
 * which V8 would end the whole process.
 */
const MEMORY_PER_MB = 8;
const MEMORY_MB = 256;

/** Tools for the files of a session's folder, and nothing outside it. */
export class FileTools extends ToolSet {
  readonly #definitions: readonly ToolDefinition[];

  constructor(
    private readonly settings: FileSettings,
    private readonly workspaces: Workspaces,
    switchedOn: readonly FileToolName[],
  ) {
    super();
    this.#definitions = switchedOn.map((name) => {
      const { schema, effect, description } = TOOLS[name];
      return { name, description, input_schema: inputSchema(schema), source: 'builtin', effect };
    });
  }

  override offered(): Promise<readonly ToolDefinition[]> {
    return Promise.resolve(this.#definitions);
  }

  override async run(call: ToolCall, _onProgress: (data: Json) => void, signal: AbortSignal): Promise<ToolOutcome> {
    if (!this.#definitions.some(({ name }) => name === call.name)) return refused(`There is no tool named ${call.name} here.`);
    const tool = call.name as FileToolName;
    const input = checked(tool, TOOLS[tool].schema, call.input);
    if ('fault' in input) return refused(input.fault);
    const workspace = await this.workspaces
      .of(call.tenantId, call.sessionId)
      .catch((error: unknown) => String((error as { readonly code?: unknown }).code ?? 'unknown'));
    if (typeof workspace === 'string') return refused(`The session's folder cannot be used (${workspace}).`);
    const { timeoutMs, ...amounts } = this.settings;
    const { root, account } = workspace;
    const memoryMb = MEMORY_MB + Math.ceil((MEMORY_PER_MB * amounts.maxBytes) / 1_048_576);
    const done = await runInWorkerThread({ tool, input: input.value } as Operation, { root, account, ...amounts }, { timeoutMs, memoryMb }, signal);
    return 'fault' in done ? refused(done.fault) : { content: done.text, isError: false, toolUseResult: done.result };
  }
}
