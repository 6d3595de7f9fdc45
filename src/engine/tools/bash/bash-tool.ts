import { z } from 'zod';
import type { Json } from '../../../../packages/protocol/message/content.js';
import { type ToolCall, type ToolOutcome, ToolSet } from '../../../ports/index.js';
import { errorOutcome, inputSchema, parseInput } from '../input.js';
import type { Shell, ShellResult } from './shell.js';
import type { ShellOutput } from './shell-output.js';
import type { ToolDefinition } from '../../../../packages/protocol/message/tool-definition.js';

export interface BashSettings {
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
}

/** The limit of Linux for one argument (MAX_ARG_STRLEN). */
const COMMAND_BYTES = 120_000;

/** The shortest interval between progress reports, and how much of the output's end they carry. */
const PROGRESS_MS = 250;
const PROGRESS_CHARACTERS = 2_000;

/** Runs shell commands in the session's folder. */
export class BashTool extends ToolSet {
  readonly #input;
  readonly #definition: ToolDefinition;

  constructor(
    private readonly settings: BashSettings,
    /** Null: this process runs no commands. */
    private readonly shell: Shell | null,
  ) {
    super();
    const { timeoutMs, maxTimeoutMs } = settings;
    this.#input = z.strictObject({
      command: z
        .string()
        .refine((command) => command.trim() !== '', 'must not be empty')
        .refine((command) => !command.includes('\0'), 'must not contain a NUL character')
        .refine((command) => Buffer.byteLength(command) <= COMMAND_BYTES, `is longer than ${COMMAND_BYTES} bytes; write it to a file and run the file`)
        .describe('The command, for bash.'),
      timeout: z.int().min(1).max(maxTimeoutMs).optional().describe(`Timeout in milliseconds; default ${timeoutMs}.`),
      description: z.string().optional().describe('What it does, in a few words, for the reader.'),
    });
    this.#definition = {
      name: 'Bash',
      description: [
        "Runs a shell command in the session's folder and returns its output, standard output and standard error in the order in which they were written.",
        "The working folder persists between commands as long as it is inside the session's folder; variables and functions do not.",
        'Standard input is empty. Processes that still run when the command ends are killed, so nothing can run in the background.',
        'A long output is cut in the middle, with a notice.',
      ].join(' '),
      input_schema: inputSchema(this.#input),
      source: 'builtin',
      effect: 'run',
    };
  }

  override offered(): Promise<readonly ToolDefinition[]> {
    return Promise.resolve([this.#definition]);
  }

  override async run(call: ToolCall, onProgress: (data: Json) => void, signal: AbortSignal): Promise<ToolOutcome> {
    const input = parseInput('Bash', this.#input, call.input);
    if ('fault' in input) return errorOutcome(input.fault);
    if (!this.shell) return errorOutcome('This process does not run commands; a worker does.');
    const { command, timeout = this.settings.timeoutMs } = input.value;
    try {
      return outcomeOf(await this.shell.run(call, command, timeout, progress(onProgress), signal), timeout);
    } catch (error) {
      return errorOutcome(
        `The command was not run: the session's folder cannot be used (${String((error as { readonly code?: unknown }).code ?? 'unknown')}).`,
      );
    }
  }
}

function outcomeOf({ end, text, isTruncated, resetFolder }: ShellResult, timeoutMs: number): ToolOutcome {
  const output = text.replace(/\n$/, '');
  const notes: string[] = [];
  if (resetFolder !== null) notes.push(`[The working folder was reset to ${resetFolder.to}: ${resetFolder.from} is outside the session's folder]`);
  const note = endNote(end, timeoutMs);
  if (note !== null) notes.push(note);
  const parts = [...(output === '' ? [] : [output]), ...notes];
  return {
    content: parts.length === 0 ? '(no output)' : parts.join('\n'),
    isError: note !== null,
    toolUseResult: {
      stdout: text,
      stderr: '',
      exitCode: end.kind === 'exit' ? end.code : null,
      interrupted: end.kind === 'aborted',
      timedOut: end.kind === 'timeout',
      truncated: isTruncated,
    },
  };
}

/** Null for a command that succeeded. */
function endNote(end: ShellResult['end'], timeoutMs: number): string | null {
  switch (end.kind) {
    case 'exit':
      return end.code === 0 ? null : `[Exit code ${end.code}]`;
    case 'signal':
      return `[Ended by ${end.signal}]`;
    case 'timeout':
      return `[Stopped: it took longer than ${timeoutMs} ms]`;
    case 'output_limit':
      return '[Stopped: it printed more than the output limit; write the output to a file and read parts of it]';
    case 'aborted':
      return '[Interrupted before it ended]';
    case 'spawn_failed':
      return `[Not run: the shell could not be started (${end.code})]`;
  }
}

function progress(report: (data: Json) => void): (output: ShellOutput) => void {
  const started = performance.now();
  let next = 0;
  return (output) => {
    const now = performance.now();
    if (now < next) return;
    next = now + PROGRESS_MS;
    report({ type: 'bash', output: output.last(PROGRESS_CHARACTERS), characters: output.length, elapsedMs: Math.round(now - started) });
  };
}
