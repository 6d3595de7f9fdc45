import { expect, it } from '@jest/globals';
import { type Client, createClient } from '@verbatim/client';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { ask, type Console, expectAccessibleEverywhere, pageOf } from './support/console.js';

const EVIL = '=HYPERLINK("https://evil.example"),1';
const MEMBERS = ['prompts', 'requests', 'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens', 'cost'] as const;

/** What a tenant has used. */
export function usageTests(at: () => Console): void {
  const use = async (client: Client, model: string, prompts: number): Promise<void> => {
    const { id } = await client.createSession({ body: { model } });
    for (let index = 0; index < prompts; index += 1) await ask(client, id, 'one');
  };
  const saved = async (page: Page, button: string): Promise<{ readonly name: string; readonly text: string }> => {
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: button }).click();
    const download = await coming;
    return { name: download.suggestedFilename(), text: await readFile((await download.path())!, 'utf8') };
  };

  it('shows what each model was used for on each day, as columns with an axis, as a table and as a file that runs nothing', async () => {
    const { server, origin } = at();
    const token = (await server.tenant('that uses models')).token!;
    const client = createClient({ baseUrl: origin, token });
    await use(client, 'claude-opus-5', 3);
    await use(client, 'claude-haiku-4-5', 1);
    const member = await client.createToken({ body: { userName: EVIL, role: 'member' } });
    await use(createClient({ baseUrl: origin, token: member.token }), 'claude-haiku-4-5', 1);
    const { data } = await client.getUsage({ groupBy: 'dayAndModel' });
    const days = [...new Set(data.map(({ key }) => key))]; // two, when midnight passes meanwhile

    const page = await pageOf(at(), token, '/tenant/usage');
    const card = page.getByRole('region', { name: 'Usage by day and model' });
    await card.getByRole('combobox', { name: 'Measure' }).selectOption('prompts');
    const most = Math.max(...days.map((day) => data.reduce((sum, { key, prompts }) => sum + (key === day ? prompts : 0), 0)));
    await card.getByRole('img', { name: `Prompts by day and model: at most ${most} on a day` }).waitFor();
    const parts = await card.locator('svg title').evaluateAll((titles) => titles.map(({ textContent }) => textContent));
    expect(parts.sort()).toEqual(data.map(({ key, model, prompts }) => `${key}, ${model}: ${prompts}`).sort());
    const axis = (await card.locator('.plot-axis span').allInnerTexts()).map(Number);
    expect(axis).toEqual(axis.toSorted((a, b) => b - a));
    expect(axis.at(-1)).toBe(0);
    expect(axis[0]).toBeGreaterThanOrEqual(most);
    await card.getByText('claude-opus-5: 3', { exact: true }).waitFor();
    await card.locator('summary').click();
    const table = card.getByRole('table', { name: 'Usage by day and model' });
    expect(await table.getByRole('row').count()).toBe(data.length + 1);
    await expectAccessibleEverywhere(page);

    const file = await saved(page, 'Save as CSV: by day and model');
    expect(file.name).toMatch(/^usage-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    const lines = [['day', 'model', ...MEMBERS], ...data.map((one) => [one.key, one.model, ...MEMBERS.map((name) => one[name])])];
    expect(file.text).toBe(lines.map((line) => `${line.join(',')}\r\n`).join(''));
    const people = await saved(page, 'Save as CSV: by user');
    expect(people.text.split('\r\n')[0]).toBe(['user', 'name', ...MEMBERS].join(','));
    expect(people.text).toContain(`\r\n${member.userId},"'=HYPERLINK(""https://evil.example""),1",1,1,`);
    // As a request counts them, with what came from the cache.
    const { total } = await client.getUsage({ groupBy: 'model' });
    await page.getByRole('button', { name: 'By model' }).click();
    const models = page.getByRole('table', { name: 'Usage by model' });
    await models.getByRole('rowheader', { name: 'claude-opus-5' }).waitFor();
    const tokensIn = await models.locator('td[data-label="Tokens in"]').allInnerTexts();
    const sumOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Number(text.replaceAll(',', '')), 0);
    expect(sumOf(tokensIn)).toBe(total.inputTokens + total.cacheCreationTokens + total.cacheReadTokens);
    await page.getByRole('button', { name: 'By conversation' }).click();
    const own = (await client.listSessions({})).data;
    const sums = page.getByRole('table', { name: 'Usage by session' });
    await sums.getByRole('link', { name: 'one', exact: true }).first().waitFor();
    // The person's conversation has the title of its id: an admin may see what it used, and not what it is about.
    expect(await sums.getByRole('link', { name: 'one', exact: true }).count()).toBe(own.length);
    expect(await sums.getByRole('link', { name: /^Conversation [0-9a-f]{8}$/ }).count()).toBe(1);
    await page.context().close();
  });
}
