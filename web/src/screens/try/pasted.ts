import type { ModelOptions, Normalize } from '@verbatim/client';
import { sourceOf } from '../../../../src/session/transfer/format.ts';
import { isObject, type UnknownObject } from '../../../../packages/protocol/message/unknown-json.ts';
import { messagesOfFile } from './session-file.ts';

export interface Note {
  readonly pointer: string;
  readonly detail: string;
}

/** What a person has pasted, as the dry run takes it. */
export interface Pasted {
  readonly body: Normalize;
  /** What of it is not part of the dry run. */
  readonly notes: readonly Note[];
  /** The request that the model API would get as it was pasted; null: it was pasted as stored messages. */
  readonly request: UnknownObject | null;
  /** Whether the request has more than messages: a repaired copy keeps the rest. */
  readonly isWhole: boolean;
}

/** The text cannot be read: where, and what is wrong. */
export class UnreadablePaste extends Error {
  constructor(
    readonly pointer: string,
    detail: string,
  ) {
    super(detail);
  }
}

/** Reads messages, a request of the model API, or the lines of a session file. Throws UnreadablePaste. */
export async function readPasted(text: string): Promise<Pasted> {
  if (text.trim() === '') throw new UnreadablePaste('', 'is empty.');
  const value = valueOf(text);
  if (value instanceof SyntaxError) {
    if (
      text
        .split('\n')
        .slice(0, LINES_TO_DETECT)
        .filter((line) => isObject(valueOf(line))).length > 1
    )
      return ofFile(text);
    throw new UnreadablePaste('', `is not JSON: ${value.message}`);
  }
  if (Array.isArray(value)) return ofMessages(value);
  if (!isObject(value)) throw new UnreadablePaste('', 'is neither a list of messages, nor a request, nor a session file.');
  if (Array.isArray(value['messages'])) return ofRequest(value);
  if (value['messages'] !== undefined) throw new UnreadablePaste('/messages', 'must be a list of messages.');
  if (typeof value['role'] === 'string') return ofMessages([value]);
  if (sourceOf(value) !== null) return ofFile(JSON.stringify(value));
  throw new UnreadablePaste('', 'has no `messages`: paste a list of messages, a request with `messages`, or a session file.');
}

const LINES_TO_DETECT = 50;

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error instanceof SyntaxError ? error : new SyntaxError(String((error as Error).message)); // such as too deep
  }
}

async function ofFile(text: string): Promise<Pasted> {
  const { messages, notes } = await messagesOfFile(text);
  if (messages.length === 0)
    throw new UnreadablePaste('', `has no message of a session. ${notes.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}`);
  return { body: { messages }, notes, request: null, isWhole: false };
}

function ofMessages(messages: readonly unknown[]): Pasted {
  const isPlain = messages.every((one) => isObject(one) && typeof one['role'] === 'string' && one['uuid'] === undefined);
  return { body: { messages: messages as Normalize['messages'] }, notes: [], request: isPlain ? { messages } : null, isWhole: false };
}

/** Members of a request that the dry run takes; those of `POST /v1/normalize` besides. */
const TAKEN = ['model', 'messages', 'system', 'tools', 'thinking', 'output_config', 'tool_choice', 'stop_sequences', 'fallbacks'];
const OWN = ['modelOptions', 'gates', 'userContext', 'systemContext'];

function ofRequest(request: UnknownObject): Pasted {
  const notes: Note[] = [];
  for (const name of Object.keys(request)) {
    if (!TAKEN.includes(name) && !OWN.includes(name)) notes.push({ pointer: `/${name}`, detail: 'is not part of the dry run; the copy keeps it' });
  }
  const { tools, server } = toolsOf(request['tools'], notes);
  const modelOptions = optionsOf(request, server);
  const given = Object.fromEntries([...OWN, 'model'].flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])));
  const body = {
    ...given,
    messages: request['messages'],
    ...(request['system'] === undefined ? {} : { system: systemOf(request['system'], notes) }),
    ...(tools.length > 0 ? { tools } : {}),
    ...(Object.keys(modelOptions).length > 0 ? { modelOptions: { ...modelOptions, ...(request['modelOptions'] as object | undefined) } } : {}),
  };
  return { body: body as unknown as Normalize, notes, request, isWhole: true };
}

function systemOf(system: unknown, notes: Note[]): unknown {
  if (!Array.isArray(system)) return system;
  const texts = system.map((block: unknown, index) => {
    if (!isObject(block) || typeof block['text'] !== 'string') throw new UnreadablePaste(`/system/${index}`, 'must be a block of text.');
    return block['text'];
  });
  if (texts.length > 1) notes.push({ pointer: '/system', detail: 'is read as one text; the copy keeps it' });
  return texts.join('\n\n');
}

const SERVER_TOOL = /^(?:web_search|web_fetch|code_execution)_\d+$/;
const TOOL_MEMBERS = ['name', 'description', 'input_schema', 'defer_loading'];

function toolsOf(given: unknown, notes: Note[]): { readonly tools: readonly unknown[]; readonly server: readonly unknown[] } {
  if (given === undefined) return { tools: [], server: [] };
  if (!Array.isArray(given)) throw new UnreadablePaste('/tools', 'must be a list.');
  const tools: unknown[] = [];
  const server: unknown[] = [];
  given.forEach((tool: unknown, index) => {
    if (!isObject(tool)) throw new UnreadablePaste(`/tools/${index}`, 'must be an object.');
    const { type } = tool;
    if (typeof type === 'string' && SERVER_TOOL.test(type)) server.push(tool);
    else if (type !== undefined && type !== null && type !== 'custom')
      notes.push({ pointer: `/tools/${index}`, detail: `is a tool of the type ${String(type)}, which the dry run does not know; the copy keeps it` });
    else tools.push(Object.fromEntries(Object.entries(tool).filter(([name]) => TOOL_MEMBERS.includes(name))));
  });
  return { tools, server };
}

function optionsOf(request: UnknownObject, server: readonly unknown[]): ModelOptions {
  const { thinking, output_config: output, tool_choice, stop_sequences, fallbacks } = request;
  const effort = isObject(output) ? output['effort'] : undefined;
  const options = { thinking, effort, tool_choice, stop_sequences, fallbacks, ...(server.length > 0 ? { server_tools: server } : {}) };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null)) as ModelOptions;
}
