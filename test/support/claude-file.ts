/** Builds session files as Claude Code writes them: one line per content block, in a tree by uuid. Short names are mapped to uuids. */
export class ClaudeFile {
  readonly lines: string[] = [];

  /** The uuid of a short name; deterministic. */
  static uuid(name: string): string {
    return `${Buffer.from(name.padEnd(16, '.'))
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')}`;
  }

  get text(): string {
    return this.lines.map((line) => `${line}\n`).join('');
  }

  raw(line: string): this {
    this.lines.push(line);
    return this;
  }

  line(type: string, name: string | null, parent: string | null, fields: object): this {
    const place = name === null ? {} : { uuid: ClaudeFile.uuid(name), parentUuid: parent === null ? null : ClaudeFile.uuid(parent) };
    const seconds = String(this.lines.length % 60).padStart(2, '0');
    const minutes = String(Math.floor(this.lines.length / 60) % 60).padStart(2, '0');
    const around = { isSidechain: false, userType: 'external', cwd: '/home/me/project', sessionId: 'e31e5543', version: '2.1.0', gitBranch: 'main' };
    return this.raw(JSON.stringify({ ...place, ...around, type, timestamp: `2026-01-01T00:${minutes}:${seconds}.000Z`, ...fields }));
  }

  user(name: string, parent: string | null, content: unknown, fields: object = {}): this {
    return this.line('user', name, parent, { message: { role: 'user', content }, ...fields });
  }

  result(name: string, parent: string, toolUseId: string, content: unknown, fields: object = {}): this {
    return this.user(name, parent, [{ tool_use_id: toolUseId, type: 'tool_result', content }], { toolUseResult: { stdout: content }, ...fields });
  }

  /** A line of the session's state: it has no place in the tree. */
  state(type: string, fields: object): this {
    return this.raw(JSON.stringify({ type, sessionId: 'e31e5543', ...fields }));
  }

  /** A line of the assistant message `id`. */
  piece(
    name: string,
    parent: string | null,
    id: string,
    block: object,
    fields: { readonly stop?: string; readonly model?: string; readonly [member: string]: unknown } = {},
  ): this {
    const { stop = null, model = 'claude-opus-4-5-20251101', ...rest } = fields;
    const message = {
      model,
      id,
      type: 'message',
      role: 'assistant',
      content: [block],
      stop_reason: stop,
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 1 },
    };
    return this.line('assistant', name, parent, { message, requestId: `req_${id}`, ...rest });
  }
}

/** The short name of a uuid. */
export const nameOf = (uuid: string): string => Buffer.from(uuid.replaceAll('-', ''), 'hex').toString().replaceAll('.', '');

export const text = (words: string): object => ({ type: 'text', text: words });
export const call = (id: string, name = 'Bash'): object => ({ type: 'tool_use', id, name, input: { command: `echo ${id}` } });
export const thinking = (words: string): object => ({ type: 'thinking', thinking: words, signature: 'c2lnbmF0dXJl' });
