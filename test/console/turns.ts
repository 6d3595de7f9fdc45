import { expect, it } from '@jest/globals';
import { ask, type Console, expectAccessibleEverywhere, opened, pageOf, user, chooseInConversation } from './support/console.js';

/** Compactions, and turns that failed. */
export function turnTests(at: () => Console): void {
  const dialog = () => at().page.getByRole('dialog', { name: 'Compact the conversation' });
  const button = (name: string) => dialog().getByRole('button', { name, exact: true });
  const openMenu = (): Promise<void> => chooseInConversation(at().page, 'Compact…');

  it('compacts a conversation, after it has said what that keeps, and says how it ended', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'To be compacted');
    for (const text of ['one', 'two', 'three']) await ask(client, id, text);
    await openMenu();
    await dialog().getByText('the latest turns, which stay word for word').waitFor();
    await expectAccessibleEverywhere(page);
    await dialog().getByRole('textbox').fill('Keep every number.');
    await button('Compact').click();
    await dialog().getByRole('status').getByText('The conversation was compacted').waitFor();
    await button('Close').last().click();
    await page.getByText('Keep every number.').first().waitFor({ state: 'detached' });
    const { data } = await client.listEvents({ id, limit: 500 });
    expect(data.findLast(({ type }) => type === 'session.compacted')?.data).toMatchObject({ trigger: 'manual', instructions: 'Keep every number.' });
    const { data: requests } = await client.listRequests({ id });
    expect(requests.filter(({ purpose }) => purpose === 'compaction')).toHaveLength(1);
  });

  it('says why a conversation was not compacted: nothing to summarise, a failure, a stop', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'Not compacted');
    await ask(client, id, 'one');
    await page.locator('article.answer').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Conversation, screen or action' }).fill('compact');
    await page.getByRole('option', { name: /^Compact/ }).click();
    await button('Compact').click();
    await dialog().getByRole('alert').getByText('Nothing to compact').waitFor();
    for (const text of ['two', 'three']) await ask(client, id, text);
    await dialog().getByRole('textbox').fill('{{fail 400}}');
    await button('Compact').click();
    await dialog().getByRole('alert').getByText('The prompt requests a failure').waitFor();
    await dialog().getByRole('status').getByText('The conversation was not compacted').waitFor();
    await expectAccessibleEverywhere(page);
    await page.keyboard.press('Escape');
    await client.submitPrompt({ id, body: { input: '{{slow 100}}{{long 5000}}' } });
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await openMenu();
    await button('Compact').click();
    await dialog().getByText('It waits for the turn that runs').waitFor();
    const { data: queue } = await client.listQueue({ id });
    await client.withdrawPrompt({ id, promptId: queue[0]!.promptId });
    await dialog().getByRole('status').getByText('withdrawn before it began').waitFor();
    await page.keyboard.press('Escape');
    await client.interruptTurn({ id });
    await page.getByText('Interrupted here').waitFor();
  });

  it('sends a prompt again whose turn has failed, and keeps the attempt; not that of a compaction, and not for readers', async () => {
    const { client, page } = at();
    const again = () => page.getByRole('button', { name: 'Try again' });
    const id = await opened(at(), 'Failed');
    for (const text of ['one', 'two', 'three']) await ask(client, id, text);
    const { turnId } = await client.compactSession({ id, body: { instructions: '{{fail 400}}' } });
    await client.getTurn({ id, turnId: turnId!, wait: 30 });
    await page.getByText('The conversation was not compacted').waitFor();
    expect(await again().count()).toBe(0);
    await client.updateSettings({ body: { models: { tenant: ['no-such-model'] } } });
    await ask(client, id, '{{say at last}}');
    await again().waitFor();
    expect(await again().count()).toBe(1);
    await page.locator('.notice, article.failed').getByRole('link', { name: 'What was sent' }).waitFor();
    await expectAccessibleEverywhere(page);
    const reader = await user(at(), 'who reads a failure');
    await client.grantRole({ id, principal: `user:${reader.userId}`, body: { role: 'viewer' } });
    const other = await pageOf(at(), reader.token, `/sessions/${id}`);
    await other.getByText('You may read this conversation.').waitFor();
    await other.locator('.notice.error').last().waitFor();
    expect(await other.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await other.context().close();
    // What fails again can be tried again.
    const { head } = await client.getSession({ id });
    await again().click();
    await page.locator(`article[data-uuid="${head}"]`).waitFor({ state: 'detached' });
    await again().waitFor();
    await client.updateSettings({ body: { models: {} } });
    await again().click();
    await page.locator('article.answer:not(.draft)').getByText('at last').waitFor();
    await again().waitFor({ state: 'detached' });
    await page.getByRole('group', { name: 'Version 3 of 3' }).waitFor();
    const { data } = await client.listBranches({ id });
    expect(data.filter(({ left }) => left?.cause === 'regenerate')).toHaveLength(2);
  });
}
