import { expect, it } from '@jest/globals';
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

  it('shows what a call would write as a difference to the file that is there, and offers rules that hold for it', async () => {
    const server = await startTestServer({ TOOLS: 'Write', WORKSPACE_HISTORY: 'true' });
    const { baseUrl, token } = server.client;
    const client = createClient({ baseUrl, token: token! });
    const { id } = await client.createSession({ body: { title: 'Written' } });
    const write = (content: string) => ({ id, body: { input: call('Write', { file_path: 'notes/a.txt', content }) } });
    await client.submitPrompt(write('one\ntwo\n'));
    const page = await pageOf({ ...at(), origin: baseUrl }, token!, `/sessions/${id}`);
    await page.getByText('A new file', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('done', { exact: true }).waitFor();
    await client.submitPrompt(write('one\nthree\n'));
    const change = page.getByRole('region', { name: 'Change of the file' });
    await change.locator('del', { hasText: 'two' }).waitFor();
    expect(await change.locator('ins').allInnerTexts()).toEqual(['+ three']);
    // What can be done with a step stands in the head of its card, and takes no row of its own.
    const [head, more] = await Promise.all([page.locator('.tool-head').first().boundingBox(), page.locator('.tool > .more').first().boundingBox()]);
    expect(more!.y).toBeGreaterThanOrEqual(head!.y);
    expect(more!.y + more!.height).toBeLessThanOrEqual(head!.y + head!.height);
    await page.getByRole('button', { name: 'Always allow…' }).click();
    expect(await page.getByRole('radio', { name: /^This file/ }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: /^Every call of Write/ }).check();
    await page.getByRole('radio', { name: 'Another rule' }).check();
    expect(await page.getByRole('textbox', { name: 'Rule' }).inputValue()).toBe('Write');
    await page.getByRole('radio', { name: /^This file/ }).check();
    await expectAccessibleEverywhere(page);
    await page.getByRole('button', { name: 'Always allow and approve' }).click();
    await page.getByText('done', { exact: true }).nth(1).waitFor();
    await client.submitPrompt(write('four\n'));
    await page.getByText('done', { exact: true }).nth(2).waitFor();
    await page.context().close();
    await server.stop();
  });
}
