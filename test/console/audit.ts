import { expect, it } from '@jest/globals';
import { type Console, ask, opened, tab } from './support/console.js';
import { visit } from './support/browser.js';

/** What can be looked into and proved: the log of a conversation, its timeline, and the tenant. */
export function auditTests(at: () => Console): void {
  it('verifies the log in the browser, and notices an altered event', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'To be proven');
    await ask(client, id, 'something to prove');
    await tab(page, 'Audit').click();
    await page.getByText('valid', { exact: true }).waitFor();
    const verify = page.getByRole('button', { name: 'Verify', exact: true });
    const verified = page.getByText('Verified.');
    const outcome = page.getByRole('status').filter({ hasText: /Verified|Not proven/ });
    do {
      await verify.click();
      await outcome.waitFor();
    } while (!(await verified.isVisible()) && (await outcome.innerText()).includes('yet'));
    expect(await outcome.innerText()).toMatch(/\d+ of \d+ events are unchanged since the checkpoint/);
    await page.route('**/export?format=log', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('something to prove', 'something to forge') });
    });
    await verify.click();
    await page.getByText(/Line \d+: event \d+ is not the one that was recorded/).waitFor();
    await page.unroute('**/export?format=log');
  });

  it('shows where the time went, and what the tenant has', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'Time');
    await ask(client, id, 'one');
    await tab(page, 'Timeline').click();
    await page
      .getByText(/model \d+.*%/)
      .first()
      .waitFor();
    await visit(page, '/tenant');
    await page.getByLabel('Name').fill('laptop');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Shown this once').waitFor();
    await page.getByRole('button', { name: 'Revoke laptop', exact: true }).click();
    await page.getByRole('button', { name: 'Really revoke laptop' }).click();
    await page.getByRole('rowheader', { name: 'laptop' }).waitFor({ state: 'detached' });
    await visit(page, '/tenant/people');
    await page.getByRole('rowheader').first().waitFor();
    await visit(page, '/tenant/usage');
    await page.getByRole('rowheader', { name: 'admin' }).waitFor();
    await visit(page, '/tenant/settings');
    await page.getByLabel(/^Instructions/).fill('Be brief.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /^Turn advisor/ }).waitFor();
    await visit(page, '/tenant/audit');
    await page.getByText('every log is valid').waitFor();
  });
}
