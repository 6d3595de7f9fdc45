import type { ContentBlock } from './content.js';
import { parseExact, wellFormedJson } from './exact-json.js';
import { afterSpace, eachItem, endOfValue } from './json-scan.js';
import type { Message, ModelMessage } from './message.js';
import { isObject, type UnknownObject } from './unknown-json.js';

/**
 * The input of a call is the text that the model wrote: thinking is signed over it, and a parsed value has lost the order of its members, the form of its numbers
 * and repeated names. Tools get the parsed value. The text goes with that value by identity, so that code which replaces the value loses the text with it, and
 * is stored in the message as `input_texts`, by the index of the block, where `JSON.stringify` of the value would give another text.
 */
const texts = new WeakMap<object, string>();

/** Records the text of a parsed input; without effect when the value has the same text. */
export function noteText(input: unknown, text: string): void {
  if (typeof input !== 'object' || input === null) return;
  // Of a member that stands twice the last one counts, also where it needs no text.
  if (JSON.stringify(input) === text) texts.delete(input);
  else texts.set(input, text);
}

/** The input that a text contains. Throws SyntaxError. */
export function inputOf(text: string): unknown {
  const input = parseExact(text);
  noteText(input, text);
  return input;
}

/** The input as it was written. */
export function textOfInput(input: unknown): string {
  return writtenText(input) ?? JSON.stringify(input);
}

const writtenText = (input: unknown): string | undefined => (typeof input === 'object' && input !== null ? texts.get(input) : undefined);

const hasText = (block: ContentBlock): boolean => 'input' in block && writtenText(block.input) !== undefined;

/** A block as JSON, its input as it was written. */
export function blockText(block: ContentBlock): string {
  if (!hasText(block)) return JSON.stringify(block);
  const members = Object.entries(block).flatMap(([name, value]: readonly [string, unknown]) =>
    value === undefined ? [] : [`${JSON.stringify(name)}:${name === 'input' ? textOfInput(value) : JSON.stringify(value)}`],
  );
  return `{${members.join(',')}}`;
}

/** An object with `content` as JSON, the inputs in it as they were written. */
export function contentText(message: { readonly content: readonly ContentBlock[] }): string {
  if (!message.content.some(hasText)) return JSON.stringify(message);
  const members = Object.entries(message).flatMap(([name, value]: readonly [string, unknown]) =>
    value === undefined ? [] : [`${JSON.stringify(name)}:${name === 'content' ? `[${message.content.map(blockText).join(',')}]` : JSON.stringify(value)}`],
  );
  return `{${members.join(',')}}`;
}

/** A message as it is stored. */
export function withStoredTexts<M extends Message>(message: M): M {
  if (message.type !== 'assistant') return message;
  const stored = withInputTexts(message.message);
  return stored === message.message ? message : { ...message, message: stored };
}

/** The answer with the texts of its inputs, as the parser has read them. Texts that it has already count only where they tell the line breaks that a line cannot have. */
export function withInputTexts<M extends ModelMessage>(message: M): M {
  const { input_texts: given, ...rest } = message;
  const written = message.content.flatMap((block, index) => {
    const text = 'input' in block ? writtenText(block.input) : undefined;
    const whole = isObject(given) ? given[index] : undefined;
    return text === undefined ? [] : [[index, typeof whole === 'string' && inOneLine(whole) === text ? whole : text] as const];
  });
  return (written.length === 0 ? ('input_texts' in message ? rest : message) : { ...rest, input_texts: Object.fromEntries(written) }) as M;
}

/** Connects the inputs of a stored message with their texts. */
export function noteStoredTexts(message: Message): void {
  if (message.type !== 'assistant' || !isObject(message.message['input_texts'])) return;
  for (const [index, text] of Object.entries(message.message['input_texts'])) {
    const block = message.message.content[Number(index)];
    if (block && 'input' in block && typeof text === 'string') noteText(block.input, text);
  }
}

/** In JSON text a line break is only white space between values. */
const inOneLine = (text: string): string => text.replace(/[\n\r]/g, ' ');

/** A stored message as a line of an export: with its inputs as they were written. Beside them are only the texts that have line breaks. */
export function lineText(line: object): string {
  const { type, message } = line as { readonly type?: unknown; readonly message?: ModelMessage };
  if (type !== 'assistant' || !message || !isObject(message['input_texts'])) return JSON.stringify(line);
  noteStoredTexts(line as Message);
  const { input_texts: stored, ...rest } = message;
  const broken = Object.entries(stored as UnknownObject).filter(([, text]) => text !== inOneLine(String(text)));
  const written = { ...rest, ...(broken.length > 0 ? { input_texts: Object.fromEntries(broken) } : {}) } as unknown as ModelMessage;
  const members = Object.entries(line).flatMap(([name, value]: readonly [string, unknown]) =>
    value === undefined ? [] : [`${JSON.stringify(name)}:${name === 'message' ? inOneLine(contentText(written)) : JSON.stringify(value)}`],
  );
  return `{${members.join(',')}}`;
}

/** The input without the members that are not kept. Those that are stay as they were written. */
export function withoutMembers(input: UnknownObject, isKept: (name: string) => boolean): UnknownObject {
  const text = writtenText(input);
  if (text === undefined) return Object.fromEntries(Object.entries(input).filter(([name]) => isKept(name)));
  const kept: string[] = [];
  eachItem(text, afterSpace(text, 0), ({ name, from, at }) => {
    const end = endOfValue(text, at);
    if (isKept(name ?? '')) kept.push(text.slice(from, end));
    return end;
  });
  return inputOf(`{${kept.join(',')}}`) as UnknownObject;
}

/** The input with U+FFFD for lone surrogates; `repair` does the same to a value without a text. */
export function wellFormedInput<T>(input: T, repair: (input: T) => T): T {
  const repaired = repair(input);
  const text = repaired === input ? undefined : writtenText(input);
  return text === undefined ? repaired : (inputOf(wellFormedJson(text)) as T);
}

/** Keys of the objects whose texts a parsed transcript keeps: inputs of calls, and those that Claude Code stores beside them, by call. */
const INPUT = 'input';
const INPUTS = 'wireToolInputs';

/** Records the texts of the inputs in a parsed transcript, or a line of one. `text` is what `value` was parsed from. */
export function noteInputs(value: unknown, text: string): void {
  if (text.includes(`"${INPUT}"`) || text.includes(`"${INPUTS}"`)) noteIn(value, text, afterSpace(text, 0), false);
}

/** Reads the text and its value side by side. Returns the end of the value in the text. */
function noteIn(value: unknown, text: string, start: number, isInput: boolean): number {
  if (typeof value !== 'object' || value === null || (text[start] !== '{' && text[start] !== '[')) return endOfValue(text, start);
  if (isInput) {
    const end = endOfValue(text, start);
    noteText(value, text.slice(start, end));
    return end;
  }
  let index = 0;
  return eachItem(text, start, ({ name, at }) => {
    const key = name ?? String(index);
    index += 1;
    const item = Object.hasOwn(value, key) ? (value as UnknownObject)[key] : undefined;
    return name === INPUTS && isObject(item) && text[at] === '{' ? noteEach(item, text, at) : noteIn(item, text, at, name === INPUT);
  });
}

const noteEach = (inputs: UnknownObject, text: string, start: number): number =>
  eachItem(text, start, ({ name, at }) => noteIn(inputs[name ?? ''], text, at, true));
