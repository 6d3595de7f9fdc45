import { randomUUID } from 'node:crypto';

const MODEL = 'claude-sonnet-4-5';

/** Lines of an export, for an import. */
export class Lines {
  readonly #lines: object[] = [];
  #parent: string | null = null;

  constructor(title: string) {
    this.#lines.push({ type: 'session', format: 'verbatim/1', title });
  }

  user(content: unknown): this {
    return this.#add({ type: 'user', content });
  }

  assistant(content: readonly unknown[]): this {
    return this.#add({ type: 'assistant', message: { id: `msg_${randomUUID()}`, role: 'assistant', model: MODEL, content, stop_reason: 'end_turn' } });
  }

  toString(): string {
    return this.#lines.map((line) => JSON.stringify(line)).join('\n');
  }

  #add(message: object): this {
    const uuid = randomUUID();
    this.#lines.push({ uuid, parentUuid: this.#parent, timestamp: new Date(Date.UTC(2026, 0, 1) + this.#lines.length * 1_000).toISOString(), ...message });
    this.#parent = uuid;
    return this;
  }
}

/** A conversation of `count` messages, of prompts and Markdown. */
export function longTranscript(count: number): string {
  const lines = new Lines('A long one');
  for (let index = 0; index < count; index += 2) {
    lines.user(`Question ${index}`);
    lines.assistant([{ type: 'text', text: `## Answer ${index + 1}\n\nSome **words** and \`code\`:\n\n- one\n- two\n\n${'More of it. '.repeat(index % 20)}` }]);
  }
  return lines.toString();
}

const EVIL = '<img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=2</script>';

/** A line of a file has at most 100,000 values. */
const CALLS_PER_ANSWER = 5_000;

/** A hostile conversation of great size: a prompt, an answer and a result of one long line each, and answers with many calls. */
export function sizedTranscript({ calls: count, characters }: { readonly calls: number; readonly characters: number }): string {
  const lines = new Lines('A large one');
  const line = EVIL.repeat(Math.ceil(characters / EVIL.length)).slice(0, characters);
  lines.user(line);
  lines.assistant([{ type: 'text', text: line }]);
  lines.user('now the calls');
  for (let from = 0; from < count; from += CALLS_PER_ANSWER) {
    const calls = Array.from({ length: CALLS_PER_ANSWER }, (_, index) => ({
      type: 'tool_use',
      id: `toolu_${from + index}`,
      name: 'Evil',
      input: { html: EVIL },
    }));
    lines.assistant(calls);
    lines.user(calls.map(({ id }, index) => ({ type: 'tool_result', tool_use_id: id, content: index === 0 ? line : EVIL })));
  }
  lines.assistant([{ type: 'text', text: 'the end of it' }]);
  return lines.toString();
}

/** Everything that a model, a tool or a person could write to hurt who reads it. */
export function hostileTranscript(): string {
  const evil = '<img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=2</script><iframe src="https://evil.example/"></iframe>';
  const lines = new Lines(`${evil} title`);
  lines.user(`${evil} prompt`);
  lines.assistant([
    {
      type: 'text',
      text: `${evil}\n\n[click](javascript:globalThis.pwned=3) [data](data:text/html,<script>globalThis.pwned=4</script>)\n\n![pixel](https://evil.example/pixel.png)\n\n<https://evil.example>`,
    },
  ]);
  lines.user(`invoice_\u202Efdp.exe and \u0007 bell`);
  lines.assistant([
    { type: 'thinking', thinking: evil, signature: 'c2ln' },
    { type: 'text', text: `${'['.repeat(2_000)}${'*'.repeat(2_000)}` },
  ]);
  lines.user('x'.repeat(300_000));
  const calls = Array.from({ length: 300 }, (_, index) => ({ type: 'tool_use', id: `toolu_${index}`, name: 'Evil', input: { html: evil, index } }));
  lines.assistant(calls);
  lines.user(calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: evil, is_error: true })));
  lines.assistant([{ type: 'text', text: 'the end of it' }]);
  return lines.toString();
}
