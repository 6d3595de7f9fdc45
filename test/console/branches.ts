import { expect, it } from '@jest/globals';
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
    await second.getByText('This branch').waitFor();
    await expectAccessibleEverywhere(page);
  });
}
