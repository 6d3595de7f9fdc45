import type { Json } from '../../../packages/protocol/message/content.js';
import { memoryPath } from './memory-path.js';

/** A command of the model API's memory tool, with normalized paths. */
export type MemoryCommand =
  | { readonly command: 'view'; readonly path: string; readonly range: readonly [first: number, last: number] | null }
  | { readonly command: 'create'; readonly path: string; readonly text: string }
  | { readonly command: 'str_replace'; readonly path: string; readonly old: string; readonly by: string }
  | { readonly command: 'insert'; readonly path: string; readonly line: number; readonly text: string }
  | { readonly command: 'delete'; readonly path: string }
  | { readonly command: 'rename'; readonly from: string; readonly to: string };

export type ReadCommand = { readonly value: MemoryCommand } | { readonly fault: string };

/** The input of a call of the memory tool. */
export function readMemoryCommand(input: Json): ReadCommand {
  try {
    return { value: commandIn(new Input(input)) };
  } catch (error) {
    if (error instanceof InputFault) return { fault: `Error: ${error.message}` };
    throw error;
  }
}

class InputFault extends Error {}

function commandIn(input: Input): MemoryCommand {
  const command = input.text('command');
  switch (command) {
    case 'view':
      return { command, path: input.path('path'), range: input.range('view_range') };
    case 'create':
      return { command, path: input.path('path'), text: input.text('file_text') };
    case 'str_replace':
      return { command, path: input.path('path'), old: input.someText('old_str'), by: input.text('new_str', '') };
    case 'insert':
      return { command, path: input.path('path'), line: input.integer('insert_line'), text: input.text('insert_text') };
    case 'delete':
      return { command, path: input.path('path') };
    case 'rename':
      return { command, from: input.path('old_path'), to: input.path('new_path') };
    default:
      throw new InputFault('`command` must be one of view, create, str_replace, insert, delete, rename.');
  }
}

class Input {
  readonly #members: { readonly [name: string]: Json };

  constructor(input: Json) {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) throw new InputFault('the input must be an object with a `command`.');
    this.#members = input as { readonly [name: string]: Json };
  }

  text(name: string, absent?: string): string {
    const value = this.#get(name) ?? absent;
    if (typeof value !== 'string') throw new InputFault(`\`${name}\` must be a text.`);
    return value;
  }

  someText(name: string): string {
    const value = this.text(name);
    if (value === '') throw new InputFault(`\`${name}\` must not be empty.`);
    return value;
  }

  path(name: string): string {
    const read = memoryPath(this.text(name));
    if ('fault' in read) throw new InputFault(read.fault);
    return read.path;
  }

  integer(name: string): number {
    const value = this.#get(name);
    if (!Number.isSafeInteger(value)) throw new InputFault(`\`${name}\` must be an integer.`);
    return value as number;
  }

  /** First and last line; the last may be -1, the end of the file. Null: the whole file. */
  range(name: string): readonly [number, number] | null {
    const value = this.#get(name);
    if (value === undefined || value === null) return null;
    const [first, last] = Array.isArray(value) && value.length === 2 ? (value as readonly Json[]) : [];
    const isRange =
      Number.isSafeInteger(first) && Number.isSafeInteger(last) && (first as number) >= 1 && (last === -1 || (last as number) >= (first as number));
    if (!isRange)
      throw new InputFault(`\`${name}\` must be two line numbers: the first, which is at least 1, and the last, which is not before it, or -1 for the end.`);
    return [first as number, last as number];
  }

  #get(name: string): Json | undefined {
    return Object.hasOwn(this.#members, name) ? this.#members[name] : undefined;
  }
}
