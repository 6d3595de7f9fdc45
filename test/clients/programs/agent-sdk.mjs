import {
  createSdkMcpServer,
  deleteSession,
  foldSessionSummary,
  getSessionMessages,
  InMemorySessionStore,
  listSessions,
  query,
  tool,
} from '@anthropic-ai/claude-agent-sdk';
import { createClient } from '../../../clients/typescript/dist/index.js';
import { VerbatimSessionStore } from '../../../clients/session-store/dist/index.js';
import { mkdir, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { ADD, add, API_KEY, BASE_URL, MODEL, serve } from './scenarios.mjs';

const { HOME, PATH, PROXY, SERVER } = process.env;
const project = path.join(HOME, 'project');
await mkdir(project, { recursive: true });

/** A configuration folder in which there is nothing yet: another computer. */
const computer = () => mkdtemp(path.join(HOME, 'config-'));

/** The text of the answer, and the id of the session. */
async function ask(prompt, CLAUDE_CONFIG_DIR, options = {}, errors = []) {
  const env = {
    ...{ PATH, HOME, CLAUDE_CONFIG_DIR, ANTHROPIC_BASE_URL: BASE_URL, ANTHROPIC_API_KEY: API_KEY },
    ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, NO_PROXY: '127.0.0.1' },
  };
  for await (const message of query({ prompt, options: { cwd: project, model: MODEL, env, ...options } })) {
    if (message.subtype === 'mirror_error') errors.push(message.error ?? message);
    if (message.type === 'result') return { text: message.result, id: message.session_id };
  }
}

const home = await computer();

await serve({
  async turns(prompts) {
    const texts = [];
    let resume;
    for (const prompt of prompts) {
      const { text, id } = await ask(prompt, home, resume === undefined ? {} : { resume });
      resume = id;
      texts.push(text);
    }
    return texts;
  },
  async tool(prompt) {
    const adder = tool(ADD.name, ADD.description, { a: z.number(), b: z.number() }, async (input) => ({ content: [{ type: 'text', text: add(input) }] }));
    const mcpServers = { sums: createSdkMcpServer({ name: 'sums', version: '1.0.0', tools: [adder] }) };
    return (await ask(prompt, home, { mcpServers, allowedTools: [`mcp__sums__${ADD.name}`] })).text;
  },
  /** The second turn is on another computer, which has the session from the store of the first. */
  async moves([first, second]) {
    const sessionStore = new InMemorySessionStore();
    const before = await ask(first, await computer(), { sessionStore });
    const after = await ask(second, await computer(), { sessionStore, resume: before.id });
    return [before.text, after.text, before.id === after.id];
  },
  /** The same with the store of the server: what the SDK lists and reads from there, too. */
  async keeps([first, second]) {
    const client = createClient({ baseUrl: SERVER, token: API_KEY });
    const stored = () => new VerbatimSessionStore({ client, foldSessionSummary });
    const errors = [];
    const before = await ask(first, await computer(), { sessionStore: stored() }, errors);
    const after = await ask(second, await computer(), { sessionStore: stored(), resume: before.id }, errors);
    const sessions = await listSessions({ dir: project, sessionStore: stored() });
    const messages = await getSessionMessages(before.id, { dir: project, sessionStore: stored() });
    const listed = sessions.map(({ sessionId, firstPrompt }) => [sessionId === before.id, firstPrompt]);
    return { texts: [before.text, after.text], isSame: before.id === after.id, listed, roles: messages.map(({ type }) => type), errors, id: before.id };
  },
  async deletes(id) {
    const sessionStore = new VerbatimSessionStore({ client: createClient({ baseUrl: SERVER, token: API_KEY }), foldSessionSummary });
    await deleteSession(id, { dir: project, sessionStore });
    return (await listSessions({ dir: project, sessionStore })).length;
  },
});
