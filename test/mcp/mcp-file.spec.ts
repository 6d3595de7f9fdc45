import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseMcpFile, readMcpFile } from '../../src/engine/mcp/mcp-file.js';
import { mayHave, modelName } from '../../src/engine/mcp/tool-name.js';

const ENVIRONMENT = { TOKEN: 'secret', EMPTY: '' };
const parse = (mcpServers: unknown) => parseMcpFile(JSON.stringify({ mcpServers, other: 'settings' }), '/etc/mcp.json', ENVIRONMENT);

describe('MCP_FILE', () => {
  it('defines stdio and HTTP servers', () => {
    expect(
      parse({
        files: { command: 'npx', args: ['-y', 'server-files', '/data'], env: { KEY: 'value' } },
        plain: { type: 'stdio', command: 'server' },
        far: { type: 'http', url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer x' } },
      }),
    ).toEqual([
      { kind: 'stdio', name: 'files', command: 'npx', args: ['-y', 'server-files', '/data'], env: { KEY: 'value' } },
      { kind: 'stdio', name: 'plain', command: 'server', args: [], env: {} },
      { kind: 'http', name: 'far', url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer x' }, allowPrivate: true },
    ]);
  });

  it('expands variables of the environment', () => {
    expect(
      parse({
        one: { command: '${HOME_OF_IT:-/opt}/server', args: ['${TOKEN}', '$TOKEN', '${EMPTY}'], env: { A: 'x${TOKEN}y${TOKEN}' } },
        two: { type: 'http', url: 'https://${HOST:-mcp.example.com}/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
      }),
    ).toMatchObject([
      { command: '/opt/server', args: ['secret', '$TOKEN', ''], env: { A: 'xsecretysecret' } },
      { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer secret' } },
    ]);
  });

  it('reports all faults at once, without values', () => {
    let message = '';
    try {
      parse({
        a: { command: '' },
        b: { type: 'sse', url: 'https://x' },
        c: { type: 'http', url: 'ftp://${TOKEN}' },
        d: { command: 'x', args: 'y' },
        e: { command: '${MISSING}' },
        f: {},
        g: 'x',
        ['n'.repeat(65)]: { command: 'x' },
      });
    } catch (error) {
      ({ message } = error as Error);
    }
    for (const where of ['a.command', 'b.type', 'c.url', 'd.args', 'e: the environment has no MISSING', 'f', 'g', 'n'.repeat(65)])
      expect(message).toContain(`mcpServers.${where}`);
    expect(message).not.toContain('secret');
  });

  it.each([
    ['{', 'is not JSON'],
    ['[]', 'mcpServers'],
    ['{}', 'mcpServers'],
    ['{"mcpServers":[]}', 'mcpServers'],
  ])('is rejected: %s', (text, why) => {
    expect(() => parseMcpFile(text, '/etc/mcp.json', {})).toThrow(why);
  });

  it('must exist', () => {
    expect(() => readMcpFile('/no/such/file.json', {})).toThrow('MCP_FILE /no/such/file.json cannot be read (ENOENT)');
  });
});

describe('the model name of a tool', () => {
  it.each([
    ['github', 'create_issue', 'mcp__github__create_issue'],
    ['my-server', 'get-it', 'mcp__my-server__get-it'],
    ['a', 'b__c', 'mcp__a__b__c'],
  ])('of %s, %s is plain', (server, tool, name) => {
    expect(modelName(server, tool)).toBe(name);
  });

  it("is valid for the API, is recognized as the server's, and is unique", () => {
    const part = fc.oneof(fc.stringMatching(/^[a_.]{1,6}$/), fc.string({ minLength: 1, maxLength: 200 }));
    fc.assert(
      fc.property(part, part, part, part, (server, tool, otherServer, otherTool) => {
        const name = modelName(server, tool);
        expect(name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
        expect(mayHave(server, name)).toBe(true);
        expect(modelName(otherServer, otherTool) === name).toBe(server === otherServer && tool === otherTool);
      }),
    );
  });
});
