import { createInterface } from 'node:readline';

/** Texts of the stand-in are what a prompt asks for: see the directives of the offline model. */
export const MODEL = 'claude-opus-4-5';

/** The address as the documentation has it, and a token. */
export const { BASE_URL, API_KEY } = process.env;

/** The tool of the scenario `tool`, as each client writes it. */
export const ADD = { name: 'add', description: 'Adds two numbers.' };
export const add = ({ a, b }) => String(a + b);

/**
 * Runs the scenarios that come on standard input, one line of JSON each, `{"scenario","argument"}`, and writes one line for each: `{"result"}`, or `{"error"}`
 * as the client throws it. Ends with its input.
 */
export async function serve(scenarios) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { scenario, argument } = JSON.parse(line);
    const answer = await scenarios[scenario](argument).then(
      (result) => ({ result }),
      (error) => ({ error: { name: error.name, status: error.status ?? error.statusCode ?? null, message: error.message } }),
    );
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}
