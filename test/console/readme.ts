import { expect, it } from '@jest/globals';
import { picture, pictures } from './support/browser.js';
import { becomes, type Console, expectAccessible, pageOf, user } from './support/console.js';
import { Lines } from './support/transcripts.js';

const BEFORE = `export function total(items: Item[]) {
  let sum = 0;
  for (const item of items) sum += item.price;
  return sum;
}`;

const AFTER = `export function total(items: Item[]) {
  return items.reduce((sum, { price, count }) => sum + price * count, 0);
}`;

const WHY = `The total ignored \`count\`: an item was counted once, however many of it were in the cart. It is now the sum of price times count:

\`\`\`ts
total([{ price: 250, count: 3 }]); // 750, was 250
\`\`\`

| cart | before | now |
|---|---|---|
| three of one item | 250 | **750** |
| an empty cart | 0 | 0 |`;

const OTHERS = ['Plan the release of the parser', 'Why is the second query slow?', 'A recipe with leeks', 'Notes of the interview', 'Rename the worker'];

/** The picture of the README: a conversation as it looks. */
export function readmeTests(at: () => Console): void {
  it('shows a change, a command and an answer with code and a table side by side with the list', async () => {
    const { client, token } = await user(at(), 'Ada');
    for (const title of OTHERS) {
      const asked = new Lines(title).user(`${title}, please.`).assistant([{ type: 'text', text: 'Here is what I found, in short.' }]);
      await client.importSession({ body: asked.toString() });
    }
    const [pinned] = (await client.listSessions({ limit: 1 })).data;
    await client.pinSession({ id: pinned!.id });
    const lines = new Lines('The total of a cart is wrong').user('The total of a cart with three of the same item is too low. Find out why, and mend it.');
    lines.assistant([
      { type: 'tool_use', id: 'toolu_edit', name: 'Edit', input: { file_path: 'src/cart/total.ts', old_string: BEFORE, new_string: AFTER } },
      { type: 'tool_use', id: 'toolu_test', name: 'Bash', input: { command: 'npm test -- cart', description: 'Runs the tests of the cart' } },
    ]);
    lines.user([
      { type: 'tool_result', tool_use_id: 'toolu_edit', content: 'The file has been changed.' },
      { type: 'tool_result', tool_use_id: 'toolu_test', content: '\u001b[32m✓\u001b[0m 14 tests passed' },
    ]);
    const { id } = await client.importSession({ body: lines.assistant([{ type: 'text', text: WHY }]).toString() });
    const page = await pageOf(at(), token, `/sessions/${id}`);
    await page.getByRole('table').waitFor();
    await page.locator('.tool-head', { hasText: 'Edit' }).click();
    await page.getByRole('group', { name: 'Change 1' }).waitFor();
    await becomes(page, `document.querySelector('.hljs-keyword, .hljs-title, .hljs-comment') !== null`);
    await expectAccessible(page);
    expect(await page.getByRole('heading', { name: 'Pinned' }).count()).toBe(1);
    await page.evaluate(`document.querySelector('[role=log]').scrollTop = 0`);
    await picture(page, 'console.png');
    await pictures(page, 'conversation-of-code');
    await page.context().close();
  });
}
