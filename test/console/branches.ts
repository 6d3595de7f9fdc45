import { expect, it } from '@jest/globals';
import { call } from '../support/tool-server.js';
import { visit } from './support/browser.js';
import { ask, becomes, type Console, expectAccessibleEverywhere, opened, tab } from './support/console.js';

/** The view of the branches of a conversation. */
export function branchTests(at: () => Console): void {
  it('names each branch by the text that it begins with, also where two begin alike', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'Named branches');
    for (let round = 0; round < 2; round += 1) {
      await ask(client, id, 'Plan the *trip*');
      const { data } = await client.listMessages({ id });
      await client.rewindSession({ id, body: { before: data[0]!.uuid } });
    }
    await ask(client, id, 'x'.repeat(500));
    await tab(page, 'Branches').click();
    await becomes(page, `document.querySelectorAll('.branch').length === 3`);
    const names = await page.locator('.branch').getByRole('heading').allInnerTexts();
    expect(names).toEqual([`${'x'.repeat(199)}…`, 'Plan the *trip*', 'Plan the *trip* (2)']);
    const second = page.getByRole('listitem', { name: 'Plan the *trip* (2)', exact: true });
    await second.getByRole('button', { name: 'Compare Plan the *trip* (2)', exact: true }).click();
    await second.locator('.pair-head').getByText('Plan the *trip* (2)', { exact: true }).waitFor();
    await second.locator('.pair-head').getByText(names[0]!, { exact: true }).waitFor();
    await expectAccessibleEverywhere(page);
  });

  it('compares two branches: what both have in a line, calls and results by name, differences marked, and what only one has folded', async () => {
    const { client, page } = at();
    const { id } = await client.createSession({ body: { title: 'Compared', permissions: { allow: ['Work'] } } });
    await ask(client, id, 'Where to?');
    await ask(client, id, `Go by train${call('Work', { label: 'tickets' })}`);
    const { data } = await client.listMessages({ id });
    const second = data.filter(({ type, by }) => type === 'user' && by?.kind === 'user')[1]!;
    await client.rewindSession({ id, body: { before: second.uuid } });
    await ask(client, id, '{{think Which?}}{{say Go by plane}}');
    await visit(page, `/sessions/${id}/branches`);
    await page.getByRole('button', { name: /^Compare/ }).click();
    const compared = page.locator('.compare');
    await compared.getByText(/^Both have the same 2 steps before, the last of which is “.*Where to/).waitFor();
    await compared.locator('.part-chip', { hasText: 'Thinking' }).waitFor();
    await compared.locator('.part-chip', { hasText: 'Work tickets' }).waitFor();
    await compared.getByLabel('Difference between the branches: Prompt').locator('.differs', { hasText: 'Go by train' }).waitFor();
    // Neither branch replaces the other.
    expect(await compared.locator('del, ins').count()).toBe(0);
    expect(await compared.locator('.pair-head > span').allInnerTexts()).toEqual([
      expect.stringMatching(/^This branch\s+Go by train/),
      expect.stringMatching(/^Current branch\s+.*Go by plane/),
    ]);
    const rest = compared.locator('details');
    await rest.getByText(/^This branch has \d more steps?$/).click();
    await rest.getByText(/^Result of Work/).waitFor();
    expect(await compared.getByText('nothing', { exact: true }).count()).toBe(0);
    expect(await compared.getByText(/\[(tool_use|thinking|tool_result)\]/).count()).toBe(0);
    await expectAccessibleEverywhere(page);
  });
}
