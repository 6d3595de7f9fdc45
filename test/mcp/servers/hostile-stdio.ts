/** A server that speaks by hand, and misbehaves as its argument says. */
import { createInterface } from 'node:readline';

const mode = process.argv[2] ?? '';
const send = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const schema = { type: 'object', properties: {} };
const forever = (chunk: string, stream: NodeJS.WriteStream): void => {
  const more = (): void => {
    while (stream.write(chunk));
    stream.once('drain', more);
  };
  more();
};

/** `{"a":{"a":…}}` */
function nested(depth: number): object {
  let schemaOf: object = { type: 'string' };
  for (let level = 0; level < depth; level += 1) schemaOf = { type: 'object', properties: { a: schemaOf } };
  return schemaOf;
}

const TOOLS: Readonly<Record<string, readonly unknown[]>> = {
  'bad-schemas': [
    { name: 'good', inputSchema: schema },
    { name: 'union', inputSchema: { type: 'object', anyOf: [{ required: ['a'] }] } },
    { name: 'text', inputSchema: { type: 'string' } },
    { name: 'none' },
    { name: 'deep', inputSchema: nested(200) },
    { name: 'wide', inputSchema: schema, description: 'x'.repeat(60_000) },
    { inputSchema: schema },
    null,
    'tool',
    { name: 'good', inputSchema: schema, description: 'the second one of that name' },
    { name: 'properties', inputSchema: { type: 'object', properties: [] } },
    { name: 'odd hints', inputSchema: schema, annotations: { readOnlyHint: 'yes' } },
  ],
};

function answer(id: unknown, method: string, params: { readonly name?: string; readonly cursor?: string }): void {
  const result = (given: object): void => send({ id, result: given });
  switch (method) {
    case 'initialize':
      if (mode === 'mute') return;
      if (mode === 'dies-early') {
        process.stderr.write('no such module: weather\n');
        process.exit(1);
      }
      return result({ protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true }, logging: {} }, serverInfo: { name: mode, version: '0' } });
    case 'tools/list':
      if (mode === 'hangs-in-list') return;
      if (mode === 'endless-list')
        return result({ tools: [{ name: `t${params.cursor ?? '0'}`, inputSchema: schema }], nextCursor: String(Number(params.cursor ?? '0') + 1) });
      if (mode === 'same-cursor') return result({ tools: [{ name: 'one', inputSchema: schema }], nextCursor: 'again' });
      if (mode === 'no-list') return result({ tools: 'none' });
      return result({ tools: TOOLS[mode] ?? [{ name: 'call', inputSchema: schema }] });
    case 'tools/call':
      return call(id, result);
    default:
      return id === undefined ? undefined : send({ id, error: { code: -32601, message: 'no such method' } });
  }
}

function call(id: unknown, result: (given: object) => void): void {
  switch (mode) {
    case 'hangs':
      return;
    case 'dies':
      return process.exit(1);
    case 'nonsense':
      return result({ content: 'not a list' });
    case 'deep-structure':
      return process.stdout.write(
        `{"jsonrpc":"2.0","id":${String(id)},"result":{"content":[{"type":"text","text":"ok"}],"structuredContent":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}}\n`,
      )
        ? undefined
        : undefined;
    case 'writes':
      return void process.stdout.write(`{"jsonrpc":"2.0","id":${String(id)},"result":{"content":[],"structuredContent":${process.argv[3] ?? ''}}}\n`);
    case 'refuses':
      return send({ id, error: { code: -32000, message: `${'no '.repeat(1_000)}` } });
    case 'logs':
      return forever(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } })}\n`, process.stdout);
    case 'logs-to-error':
      return forever('x'.repeat(65_536), process.stderr);
    case 'one-long-line':
      return forever('x'.repeat(65_536), process.stdout);
    case 'asks-back':
      for (const asked of ['sampling/createMessage', 'roots/list', 'elicitation/create', 'no/such']) send({ id: asked, method: asked, params: {} });
      return result({ content: [{ type: 'text', text: 'asked' }] });
    default:
      return result({ content: [{ type: 'text', text: 'fine' }] });
  }
}

if (mode === 'ignores-signals') process.on('SIGTERM', () => undefined);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: unknown; method: string; params?: { name?: string; cursor?: string } };
  answer(id, method, params ?? {});
});
// It does not end with its input.
if (mode === 'ignores-signals' || mode === 'mute') setInterval(() => undefined, 60_000);
