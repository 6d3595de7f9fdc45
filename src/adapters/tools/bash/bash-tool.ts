import { z } from 'zod';
import type { Json } from '../../../core/message/content.js';
import { type ToolCall, type ToolOutcome, ToolSet } from '../../../core/ports.js';
import { checked, inputSchema, refused } from '../input.js';
import type { HeadAndTail } from './head-and-tail.js';
import type { Shell, ShellResult } from './shell.js';
import type { ToolDefinition } from '../../../core/message/tool-definition.js';

export interface BashSettings {
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
}

/** Linux takes no longer argument (MAX_ARG_STRLEN). */
const COMMAND_BYTES = 120_000;

/** Progress goes out this often at most, with so much of the output's end. */
const PROGRESS_MS = 250;
const PROGRESS_CHARACTERS = 2_000;

/** Shell commands in the session's folder. */
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
        .refine((command) => command.trim() !== '', 'is empty')
        .refine((command) => !command.includes('\0'), 'holds a NUL character, which no command can')
        .refine((command) => Buffer.byteLength(command) <= COMMAND_BYTES, `is longer than ${COMMAND_BYTES} bytes; write it to a file and run that`)
        .describe('The command, for bash.'),
      timeout: z.int().min(1).max(maxTimeoutMs).optional().describe(`Milliseconds after which it is stopped; ${timeoutMs} when left out.`),
      description: z.string().optional().describe('What it does, in a few words, for the person who watches.'),
    });
    this.#definition = {
      name: 'Bash',
      description: [
        "Runs a shell command in the session's folder and returns what it printed, both outputs in the order in which they came.",
        'The working folder persists from one command to the next as long as it lies in that folder; variables and functions do not.',
        'Standard input is empty. Whatever still runs when the command ends is stopped, so nothing can be left in the background.',
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
    const input = checked('Bash', this.#input, call.input);
    if ('fault' in input) return refused(input.fault);
    if (!this.shell) return refused('This process runs no commands; a worker does.');
    const { command, timeout = this.settings.timeoutMs } = input.value;
    try {
      return outcomeOf(await this.shell.run(call, command, timeout, progress(onProgress), signal), timeout);
    } catch (error) {
      return refused(`The session's folder cannot be used (${String((error as { readonly code?: unknown }).code ?? 'unknown')}), so the command was not run.`);
    }
  }
}

function outcomeOf({ ending, text, cut, strayed }: ShellResult, timeoutMs: number): ToolOutcome {
  const output = text.replace(/\n$/, '');
  const notes: string[] = [];
  if (strayed !== null) notes.push(`[The working folder is ${strayed.to} again: ${strayed.from} lies outside the session's folder]`);
  const end = endNote(ending, timeoutMs);
  if (end !== null) notes.push(end);
  const parts = [...(output === '' ? [] : [output]), ...notes];
  return {
    content: parts.length === 0 ? '(no output)' : parts.join('\n'),
    isError: end !== null,
    toolUseResult: {
      stdout: text,
      stderr: '',
      exitCode: ending.kind === 'exit' ? ending.code : null,
      interrupted: ending.kind === 'interrupted',
      timedOut: ending.kind === 'timeout',
      cut,
    },
  };
}

/** Null for a command that went well. */
function endNote(ending: ShellResult['ending'], timeoutMs: number): string | null {
  switch (ending.kind) {
    case 'exit':
      return ending.code === 0 ? null : `[Exit code ${ending.code}]`;
    case 'signal':
      return `[Ended by ${ending.signal}]`;
    case 'timeout':
      return `[Stopped: it took longer than ${timeoutMs} ms]`;
    case 'flood':
      return '[Stopped: it printed too much; send the output to a file and look at parts of it]';
    case 'interrupted':
      return '[Interrupted before its end]';
    case 'unstartable':
      return `[Not run: the shell could not be started (${ending.code})]`;
  }
}

function progress(tell: (data: Json) => void): (output: HeadAndTail) => void {
  const started = performance.now();
  let next = 0;
  return (output) => {
    const now = performance.now();
    if (now < next) return;
    next = now + PROGRESS_MS;
    tell({ type: 'bash', output: output.last(PROGRESS_CHARACTERS), characters: output.length, elapsedMs: Math.round(now - started) });
  };
}
