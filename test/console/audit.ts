import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { until } from '../support/until.js';
import { type Console, ask, expectAccessibleEverywhere, opened, tab, user } from './support/console.js';
import { visit } from './support/browser.js';

/** What can be looked into and proved: the log of a conversation, its timeline, and the tenant. */
export function auditTests(at: () => Console): void {
  it('verifies the log in the browser, and notices an altered event', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'To be proven');
    await ask(client, id, 'something to prove');
    await tab(page, 'Audit').click();
    await page.getByText('valid', { exact: true }).waitFor();
    await page.getByText(/^Nothing was changed\. As recorded: \d+ events\.$/).waitFor();
    expect(await verifiedIn(page)).toMatch(/\d+ of \d+ events are unchanged since the checkpoint/);
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    // What is done with the log stands in one row, also on a phone, and what was found is brought into view.
    await page.setViewportSize({ width: 390, height: 600 });
    // The button is the last that is shown.
    await button('Verify').evaluate((element: { scrollIntoView(to: object): void }) => element.scrollIntoView({ block: 'end' }));
    await button('Verify').click();
    const found = page.getByRole('status').filter({ hasText: 'Verified.' });
    await found.waitFor();
    const rows = await Promise.all(['Verify', 'Save log', 'Save conversation'].map(async (name) => (await button(name).boundingBox())!.y));
    expect(new Set(rows).size).toBe(1);
    await until('what was found is in view', async () => {
      const box = await found.boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= 600;
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.route('**/export?format=log', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('something to prove', 'something to forge') });
    });
    await button('Verify').click();
    await page.getByText(/Line \d+: event \d+ is not the one that was recorded/).waitFor();
    await page.unroute('**/export?format=log');
  });

  it('says first what was changed, when something was', async () => {
    const { client, page } = at();
    const { id } = await client.createSession({ body: { title: 'Changed' } });
    await page.route(`**/v1/sessions/${id}/audit*`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), valid: false, finding: 'altered', firstInvalidSeq: 1 } });
    });
    await visit(page, `/sessions/${id}/audit`);
    await page.getByText('Something was changed: an event is not the one that was recorded (event 1).').waitFor();
    await expectAccessibleEverywhere(page);
    await page.unroute(`**/v1/sessions/${id}/audit*`);
  });

  it('says who has read a conversation, by which role, when and how often, and leads to what was erased', async () => {
    const { client, page } = at();
    const { id } = await client.createSession({ body: { title: 'Read by others' } });
    await ask(client, id, 'a secret {{say noted}}');
    const reader = await user(at(), 'Rosa who reads');
    await client.grantRole({ id, principal: `user:${reader.userId}`, body: { role: 'viewer' } });
    await reader.client.listMessages({ id });
    const { secret, id: link } = await client.createLink({ id, body: { expiresAt: new Date(Date.now() + 86_400_000).toISOString() } });
    await fetch(`${at().origin}/v1/shared`, { headers: { authorization: `Bearer ${secret}` } });
    await until('both reads are recorded', async () => (await client.listAccesses({ id })).data.length === 2);
    const { data: messages } = await client.listMessages({ id });
    await client.eraseMessage({ id, uuid: messages[0]!.uuid });
    await visit(page, `/sessions/${id}/audit`);
    const table = page.getByRole('table', { name: 'Read by others' });
    await table.getByRole('row', { name: /Rosa who reads viewer .* 1$/ }).waitFor();
    await table.getByRole('row', { name: new RegExp(`^A person without an account link ${link.slice(0, 8)} .* 1$`) }).waitFor();
    expect(await table.getByRole('columnheader').allInnerTexts()).toEqual(['Who', 'How', 'Last read', 'Count']);
    await expectAccessibleEverywhere(page);
    const erased = page.getByRole('region', { name: 'Erasures' });
    // No file was taken, so that none is counted.
    expect(await erased.getByRole('listitem').innerText()).not.toContain('file');
    await erased.getByRole('link', { name: '1 message' }).click();
    await page.waitForURL(`**/sessions/${id}?message=${messages[0]!.uuid}`);
  });

  it('verifies a conversation with a file, its fork, and both after an erasure', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'With a file');
    const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#102030' } })
      .png()
      .toBuffer();
    const picture = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png' as const, data: png.toString('base64') } };
    await ask(client, id, [picture, { type: 'text', text: 'look at this' }]);
    await tab(page, 'Audit').click();
    expect(await verifiedIn(page)).toMatch(/^Verified\. (\d+) of \1 events are unchanged since the checkpoint/);
    const fork = await client.forkSession({ id, body: {} });
    await ask(client, fork.id, 'and now?');
    await visit(page, `/sessions/${fork.id}/audit`);
    expect(await verifiedIn(page)).toMatch(/^Verified\. .* The shared history of 1 parent is unchanged\./);
    const { data } = await client.listMessages({ id });
    await client.eraseMessage({ id, uuid: data[0]!.uuid, includeForks: true });
    await visit(page, `/sessions/${id}/audit`);
    expect(await verifiedIn(page)).toMatch(/^Verified\. .* The content of \d+ of them was erased\./);
    await visit(page, `/sessions/${fork.id}/audit`);
    expect(await verifiedIn(page)).toMatch(/^Verified\. .* The content of \d+ events of it was erased\./);
    await page.route('**/export?format=log', async (route) => {
      const response = await route.fetch();
      const lines = (await response.text()).split('\n');
      await route.fulfill({ response, body: [...lines.slice(0, -2), '{"type":"note"}', ...lines.slice(-2)].join('\n') });
    });
    expect(await verifiedIn(page)).toMatch(/^Not proven\. Line \d+: The last line must be the proof: the line is of another kind/);
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
    // What is none of the model, tools and hooks has bars as well.
    await page
      .getByRole('listitem')
      .filter({ hasText: /^server/ })
      .waitFor();
    await visit(page, '/tenant');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('laptop');
    await page.getByRole('combobox', { name: 'Role' }).selectOption('admin');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Shown this once').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Revoke laptop', exact: true }).click();
    await page.getByRole('button', { name: 'Really revoke laptop' }).click();
    await page.getByRole('rowheader', { name: 'laptop' }).waitFor({ state: 'detached' });
    await visit(page, '/tenant/people');
    await page.getByRole('rowheader').first().waitFor();
    await visit(page, '/tenant/usage');
    await page.getByRole('rowheader', { name: 'admin' }).waitFor();
    await visit(page, '/tenant/settings');
    await page.getByLabel(/^Instructions/).fill('Be brief.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: /^Turn advisor/ }).waitFor();
    await visit(page, '/tenant/audit');
    await page.getByText(/every log (of this page )?is valid/).waitFor();
  });
}

/** What the page says about the log, once the server has its last event in the transparency log. */
async function verifiedIn(page: Page): Promise<string> {
  const outcome = page.getByRole('status').filter({ hasText: /Verified|Not proven/ });
  for (;;) {
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await outcome.waitFor();
    const text = await outcome.innerText();
    if (!text.includes(' yet')) return text;
  }
}
