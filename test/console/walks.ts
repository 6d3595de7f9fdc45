import { expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { visit } from './support/browser.js';
import { becomes, choose, chooseInConversation, type Console, expectAccessibleEverywhere, opened, tab, user } from './support/console.js';

/** What people did who met the console for the first time. */
export function walkTests(at: () => Console): void {
  const prompt = () => at().page.getByRole('textbox', { name: 'Prompt' });
  const send = async (text: string): Promise<void> => {
    await prompt().fill(text);
    await prompt().press('Enter');
  };
  const END = `(() => { const log = document.querySelector('[role=log]'); return log.scrollHeight - log.scrollTop - log.clientHeight; })()`;
  const answers = (count: number) => becomes(at().page, `document.querySelectorAll('article.answer:not(.draft)').length >= ${count}`);

  it('stays at the end while prompts and answers arrive, leaves a reader above it alone, and shows what they send', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'To be followed');
    const ended = (count: number) =>
      until('the turn has ended', async () => (await client.listMessages({ id })).data.length >= count && (await client.getSession({ id })).turnId === null);
    await send('{{long 400}}');
    await ended(2);
    await answers(1);
    await becomes(page, `${END} < 2`);
    await send('{{long 400}}');
    await ended(4);
    await becomes(page, `${END} < 2 && document.querySelector('[role=log]').scrollTop > 0`);
    // A reader who scrolls up stays there while an answer arrives that they have not asked for.
    await page.evaluate(`document.querySelector('[role=log]').scrollBy(0, -400)`);
    await becomes(page, `${END} > 300`);
    const top = await page.evaluate<number>(`document.querySelector('[role=log]').scrollTop`);
    await client.submitPrompt({ id, body: { input: '{{long 400}}' } });
    await ended(6);
    await becomes(page, `${END} > 500`);
    expect(await page.evaluate(`document.querySelector('[role=log]').scrollTop`)).toBe(top);
    await send('{{say seen}}');
    await page.locator('article.answer').getByText('seen', { exact: true }).waitFor();
    await becomes(page, `${END} < 2`);
  });

  it('leaves a reader who scrolls up in a long answer where they are when it ends, and follows it to its end for one who does not', async () => {
    const { client, page } = at();
    const height = `(() => { const log = document.querySelector('[role=log]'); return log === null ? 0 : log.scrollHeight - log.clientHeight; })()`;
    for (const up of [0, 300, 600]) {
      const id = await opened(at(), `Read while it is written, ${up}`);
      await client.submitPrompt({ id, body: { input: '{{slow 2}}{{long 1500}}' } });
      await becomes(page, `${height} > 700 && document.querySelector('article.draft') !== null`);
      await page.evaluate(`document.querySelector('[role=log]').scrollBy(0, ${-up})`);
      await becomes(page, up === 0 ? `${END} < 2` : `${END} > ${up - 20}`);
      await page.evaluate(`window.places = []; window.watched = setInterval(() => window.places.push(document.querySelector('[role=log]').scrollTop), 4)`);
      await page.locator('.turn-end').waitFor();
      const places = await page.evaluate<readonly number[]>(`clearInterval(window.watched), window.places`);
      if (up > 0) expect([...new Set(places)]).toEqual([places[0]]);
      else {
        expect(places).toEqual(places.toSorted((one, other) => one - other));
        await becomes(page, `${END} < 2`);
      }
    }
  });

  it('takes files that are dropped at any place of a conversation, shows a text to be read, and stays where no screen takes them', async () => {
    const { page } = at();
    await opened(at(), 'Dropped on');
    const file = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['first line\\nsecond line\\n'], 'notes.txt', { type: 'text/plain' }));
      return data;
    })()`);
    const isTaken = (place: string): Promise<boolean> =>
      page.locator(place).evaluate((element, dataTransfer) => {
        const Drag = (globalThis as unknown as { DragEvent: new (type: string, init: object) => Event }).DragEvent;
        return !element.dispatchEvent(new Drag('drop', { dataTransfer, bubbles: true, cancelable: true }));
      }, file);
    expect(await isTaken('.session-head h1')).toBe(true);
    await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
    await send('What is this?');
    const text = page.locator('article.prompt').getByRole('group').filter({ hasText: 'notes.txt (2 lines)' });
    await text.getByText('notes.txt (2 lines)').click();
    await text.getByText('second line').waitFor();
    await expectAccessibleEverywhere(page);
    await visit(page, '/tenant');
    expect(await isTaken('h1')).toBe(true); // the browser does not leave the page
  });

  it('says of requests through the door that they are completed or failed, and why, in the timeline', async () => {
    const { page, origin, server } = at();
    const ask = (messages: readonly unknown[]) =>
      fetch(`${origin}/anthropic/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': server.client.token!, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 100, messages }),
      });
    const answer = await ask([
      { role: 'user', content: 'Out of the door' },
      { role: 'assistant', content: 'Yes' },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_orphan', content: 'late' }] },
    ]);
    expect(answer.status).toBe(200);
    await visit(page, `/sessions/${answer.headers.get('x-verbatim-session')!}`);
    await page.getByText('Answer, as the client sent it').waitFor();
    await tab(page, 'Timeline').click();
    const turns = page.getByRole('region', { name: 'Timeline' }).getByRole('group');
    await turns.first().getByText('completed', { exact: true }).waitFor();
    await turns.last().getByText('failed', { exact: true }).waitFor();
    await turns
      .last()
      .getByText(/unexpected `tool_use_id`/)
      .waitFor();
    await expectAccessibleEverywhere(page);
  });

  it('shows the actions of the last person whole, and asks before it makes an admin', async () => {
    const { client, page } = at();
    const { userId } = await user(at(), 'Zzz, the last');
    await visit(page, '/tenant');
    await visit(page, '/tenant/people');
    const role = page.getByRole('combobox', { name: 'Role of Zzz, the last' });
    await role.selectOption('admin');
    const dialog = page.getByRole('dialog', { name: 'Make an admin' });
    await expectAccessibleEverywhere(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect([await role.inputValue(), (await client.getUser({ userId })).role]).toEqual(['member', 'member']);
    await role.selectOption('admin');
    await dialog.getByRole('button', { name: 'Make an admin' }).click();
    await until('the role is stored', async () => (await client.getUser({ userId })).role === 'admin');
    // A click on what is cut off would never come.
    await choose(page, 'Actions of Zzz, the last', 'Delete…');
    const deletion = page.getByRole('dialog', { name: 'Delete Zzz, the last?' });
    expect(
      await deletion.evaluate(
        (element) => (globalThis as unknown as { getComputedStyle: (of: unknown) => { textAlign: string } }).getComputedStyle(element).textAlign,
      ),
    ).toBe('left');
    await page.keyboard.press('Escape');
  });

  it('asks before a retention erases what was kept, says where an invited person signs in, and has one scrollbar', async () => {
    const { client, page } = at();
    await visit(page, '/tenant/settings');
    const form = page.getByRole('form', { name: 'Conversations' });
    await form.getByLabel(/^Days until/).fill('30');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await becomes(page, `document.activeElement.matches('input[type=checkbox]:invalid')`);
    expect((await client.getSettings()).retentionDays).toBeNull();
    await form.getByRole('checkbox', { name: /older than 30 days is erased/ }).check();
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await until('it is saved', async () => (await client.getSettings()).retentionDays === 30);
    await form.getByRole('checkbox', { name: /older than/ }).waitFor({ state: 'detached' });
    await form.getByLabel(/^Days until/).fill('');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await until('it is saved', async () => (await client.getSettings()).retentionDays === null);
    expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
    await visit(page, '/tenant/people');
    await page.getByRole('button', { name: 'Invite a person' }).click();
    const invitation = page.getByRole('form', { name: 'Invite a person' });
    await invitation.getByLabel('Person').fill('Hal');
    await invitation.getByRole('combobox', { name: 'Role' }).selectOption('member');
    await invitation.getByRole('button', { name: 'Invite' }).click();
    await invitation.getByText(`Hal signs in with it at ${at().origin}/console.`).waitFor();
    await invitation.getByRole('button', { name: 'Done' }).click();
  });

  it('finds the export by its name, and names a conversation without a title in its menu', async () => {
    const { client, page } = at();
    const { id } = await client.createSession({});
    await visit(page, `/sessions/${id}`);
    await send('Nameless so far');
    await page.getByRole('heading', { name: 'Nameless so far' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Conversation, screen or action' }).fill('export');
    await page.getByRole('option', { name: /Export/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Export' });
    await dialog.getByRole('radio', { name: /^Messages/ }).check();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save the file' }).click();
    expect((await download).suggestedFilename()).toBe(`${id}.jsonl`);
    await page.keyboard.press('Escape');
    await chooseInConversation(page, 'Rename…');
    expect(await page.getByRole('dialog', { name: 'Rename' }).getByLabel('Title').getAttribute('placeholder')).toBe('Nameless so far');
    await page.keyboard.press('Escape');
  });

  it('shows what differs in a block whose text is the same, and each place once', async () => {
    const { page } = at();
    await visit(page, '/try');
    const marked = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];
    const messages = [1, 2, 3, 4, 5].map((one) => ({ role: one % 2 === 1 ? 'user' : 'assistant', content: marked(`text ${one}`) }));
    const twice = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_none', content: 'late' }] };
    const field = page.getByLabel('Messages, a request, or a session file');
    await field.fill(JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 100, messages: [...messages, twice] }));
    await field.press('Control+Enter');
    await page.getByText(/^messages\.\d+\.content\.0 (?!messages\.).*unexpected `tool_use_id`/).waitFor();
    const first = page.locator('.block-row', { hasText: 'text 1' });
    await first.getByLabel('Difference between stored and sent').locator('del', { hasText: 'cache_control' }).waitFor();
    expect(await first.getByText('text 1').count()).toBe(2); // equal lines are in both halves
  });
}
