import { shorten } from '../../../../packages/protocol/message/text.js';

/** The `{{…}}` directives of a prompt to the offline model. */
export interface Directives {
  readonly thoughts: readonly string[];
  /** Texts of the response in order; a number means that many filler words. */
  readonly texts: readonly (string | number)[];
  /** `json`: the input as written in the directive, an object. */
  readonly calls: readonly { readonly name: string; readonly json: string }[];
  /** Delay between two deltas in milliseconds. */
  readonly slowMs: number;
  /** HTTP status with which the first request of the turn fails. */
  readonly failStatus: number | null;
  readonly rejects: readonly string[];
  /** Context window in tokens; null: the model's own. */
  readonly windowTokens: number | null;
  /** Tokens that the answer reports as read from the prompt cache, and as written to it. */
  readonly cached: readonly [read: number, written: number];
  /** Error messages for invalid directives. */
  readonly faults: readonly string[];
}

const NAMES = /\{\{(say|think|tool|slow|long|fail|reject|window|cached)\b[ \t]*/g;
const TOOL_NAME = /[^\s{}]+/y;
const MAX_SLOW_MS = 60_000;

export function readDirectives(prompt: string): Directives {
  const thoughts: string[] = [];
  const texts: (string | number)[] = [];
  const calls: { name: string; json: string }[] = [];
  const rejects: string[] = [];
  const faults: string[] = [];
  let slowMs = 0;
  let failStatus: number | null = null;
  let windowTokens: number | null = null;
  let cached: Directives['cached'] = [0, 0];
  for (const { name, argument } of scan(prompt)) {
    const pair = /^(\d{1,7}) (\d{1,7})$/.exec(argument);
    const number = /^\d{1,9}$/.test(argument) ? Number(argument) : null;
    if (name === 'say') texts.push(argument);
    else if (name === 'think') thoughts.push(argument);
    else if (name === 'reject' && argument !== '') rejects.push(argument);
    else if (name === 'long' && number !== null && number > 0) texts.push(number);
    else if (name === 'slow' && number !== null && number <= MAX_SLOW_MS) slowMs = number;
    else if (name === 'fail' && number !== null && number >= 400 && number < 600) failStatus = number;
    else if (name === 'window' && number !== null && number > 0) windowTokens = number;
    else if (name === 'cached' && pair) cached = [Number(pair[1]), Number(pair[2])];
    else if (name === 'tool') {
      const call = readCall(argument);
      if (call) calls.push(call);
      else faults.push(`The directive {{tool ${shorten(argument, 80)}}} is invalid: expected a tool name, optionally followed by a JSON object.`);
    } else faults.push(`The directive {{${name} ${shorten(argument, 80)}}} is invalid: expected ${EXPECTED[name]}.`);
  }
  return { thoughts, texts, calls, slowMs, failStatus, rejects, windowTokens, cached, faults };
}

const EXPECTED: Readonly<Record<string, string>> = {
  long: 'a number of words',
  slow: `milliseconds, at most ${MAX_SLOW_MS}`,
  fail: 'an HTTP status from 400 to 599',
  reject: 'a text',
  window: 'a number of tokens',
  cached: 'two numbers of tokens: read, written',
};

/** A text without its `reject` directives, so that a directive does not match its own argument. */
export function withoutRejects(text: string): string {
  if (!text.includes('{{reject')) return text;
  let rest = '';
  let from = 0;
  for (const { name, start, end } of scan(text)) {
    if (name !== 'reject') continue;
    rest += text.slice(from, start);
    from = end;
  }
  return rest + text.slice(from);
}

interface Found {
  readonly name: string;
  readonly argument: string;
  readonly start: number;
  readonly end: number;
}

/** The directives of a text in order, in linear time. After an unterminated directive the rest is plain text. */
function* scan(text: string): Generator<Found> {
  const names = new RegExp(NAMES);
  for (let match = names.exec(text); match; match = names.exec(text)) {
    const from = names.lastIndex;
    const to = text.indexOf('}}', match[1] === 'tool' ? endOfCall(text, from) : from);
    if (to === -1) return;
    names.lastIndex = to + 2;
    yield { name: match[1] ?? '', argument: text.slice(from, to).trim(), start: match.index, end: to + 2 };
  }
}

/** End of a tool call's JSON: braces within it do not end the directive. */
function endOfCall(text: string, from: number): number {
  TOOL_NAME.lastIndex = from;
  let at = from + (TOOL_NAME.exec(text)?.[0].length ?? 0);
  while (/\s/.test(text.charAt(at))) at += 1;
  if (text.charAt(at) !== '{') return at;
  let depth = 0;
  let quoted = false;
  for (; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quoted) {
      if (character === '\\') at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{') depth += 1;
    else if (character === '}' && (depth -= 1) === 0) return at + 1;
  }
  return text.length;
}

function readCall(argument: string): { readonly name: string; readonly json: string } | null {
  const name = /^[^\s{}]+/.exec(argument)?.[0];
  if (!name) return null;
  const json = argument.slice(name.length).trim() || '{}';
  try {
    const input = JSON.parse(json) as unknown;
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? { name, json } : null;
  } catch {
    return null;
  }
}
