import { it } from '@jest/globals';
import { createClient } from '@verbatim/client';
import { startTestServer } from '../support/server.js';
import { call } from '../support/tool-server.js';
import { type Console, expectAccessibleEverywhere, pageOf } from './support/console.js';

/** Conversations that carry out calls of others. */
export function helperTests(at: () => Console): void {
  it('shows the state of a helper under its call, leads to it and back', async () => {
    // With the tools of the product: the server of the other tests has scripted ones.
    const server = await startTestServer({ TOOLS: 'Agent,Write' });
    const { baseUrl, token } = server.client;
    const client = createClient({ baseUrl, token: token! });
    const { id } = await client.createSession({ body: { title: 'The parent' } });
    const prompt = `{{say I ask first}}${call('Write', { file_path: 'a', content: 'x' })}`;
    await client.submitPrompt({ id, body: { input: call('Agent', { description: 'The helper', prompt }) } });
    const page = await pageOf({ ...at(), origin: baseUrl }, token!, `/sessions/${id}`);
    const helper = page.getByRole('group', { name: 'Helper', exact: true });
    await helper.getByText('I ask first').waitFor();
    await helper.getByText('It waits').waitFor();
    await expectAccessibleEverywhere(page);
    await helper.getByRole('link', { name: 'Open the conversation of the helper' }).click();
    await page.getByRole('heading', { name: 'The helper' }).waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('link', { name: 'helper of' }).click();
    await page.getByRole('heading', { name: 'The parent' }).waitFor();
    await page.getByRole('log').getByText('Agent returned').waitFor();
    await page.getByRole('button', { name: 'Agent' }).first().click();
    await helper.getByRole('link', { name: 'Open the conversation of the helper' }).waitFor();
    await page.context().close();
    await server.stop();
  });
}
