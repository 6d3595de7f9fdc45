import { expect, it } from '@jest/globals';
import type { Client } from '@verbatim/client';
import { call } from '../support/tool-server.js';
import { until } from '../support/until.js';
import { signIn, visit } from './support/browser.js';
import { ask, type Console, expectAccessibleEverywhere, pageOf, user, choose, chooseInConversation } from './support/console.js';

/** More than one page of the list. */
const MANY = 105;

async function created(client: Client, titles: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const title of titles) ids.push((await client.createSession({ body: { title } })).id);
  return ids;
}

/** What stands above the days in the list, and what is done with several conversations. */
export function listTests(at: () => Console): void {
  it('counts messages with text, and says so in the list and of branches', async () => {
    const { client, token } = await user(at(), 'one who counts');
    const { id } = await client.createSession({ body: { title: 'Counted', permissions: { allow: ['Work'] } } });
    const waits = call('Work', { label: 'counted' });
    await ask(client, id, `Look there${waits}`);
    const { data } = await client.listMessages({ id });
    const answers = data.flatMap((message) => (message.type === 'assistant' ? [message.message.content.map(({ type }) => type)] : []));
    expect(answers).toEqual([['tool_use'], ['text']]);
    const page = await pageOf(at(), token, '/');
    await page
      .getByRole('link', { name: /Counted/ })
      .getByTitle('2 messages with text')
      .waitFor();
    await client.rewindSession({ id, body: { before: data[0]!.uuid } });
    await ask(client, id, 'Something else');
    await visit(page, `/sessions/${id}/branches`);
    await page.getByText('2 messages with text from the beginning').waitFor();
    await page.close();
  });

  it('shows what needs the user first, also when it is far down in the list, and what the user has pinned', async () => {
    const { client, token } = await user(at(), 'a busy one');
    const [waiting, kept] = await created(client, ['Waits for me', 'Kept on top']);
    await ask(client, waiting!, call('Work', { label: 'far' }));
    await created(
      client,
      Array.from({ length: MANY }, (_, n) => `Newer ${n}`),
    );
    const page = await pageOf(at(), token, '/');
    const lines = async (): Promise<readonly string[]> =>
      page.evaluate(`[...document.querySelectorAll('.list-group, .session-title bdi')].slice(0, 5).map((one) => one.textContent)`);
    await page.getByRole('link', { name: /Waits for me/ }).waitFor();
    expect((await lines()).slice(0, 3)).toEqual(['Needs you', 'Waits for me', 'Today']);
    // It says for which tool.
    await page.getByRole('link', { name: /Waits for me.*waiting.*for Work/s }).waitFor();

    await client.pinSession({ id: kept! });
    await page.reload();
    await page.getByRole('link', { name: /Kept on top/ }).waitFor();
    expect(await lines()).toEqual(['Needs you', 'Waits for me', 'Pinned', 'Kept on top', 'Today']);
    await expectAccessibleEverywhere(page);

    // It follows the user to another browser.
    const { browser, origin } = at();
    const other = await browser.page(origin);
    await signIn(other, origin, token);
    await choose(other, 'Actions of Kept on top', 'Unpin');
    await until('it is not pinned', async () => (await client.listSessions({ pinned: true })).data.length === 0);
    await choose(other, 'Actions of Newer 104', 'Pin');
    await other.getByRole('heading', { name: 'Pinned' }).waitFor();

    // Also from the conversation itself.
    await other.getByRole('link', { name: /Newer 104/ }).click();
    await chooseInConversation(other, 'Unpin');
    await other.getByRole('heading', { name: 'Pinned' }).waitFor({ state: 'detached' });
    await other.context().close();

    // A decision takes it from there at once, a new call puts it back.
    const { toolCalls } = await client.getTurn({ id: waiting!, turnId: (await client.getSession({ id: waiting! })).turnId! });
    await client.decideToolCall({ id: waiting!, body: { toolUseId: toolCalls[0]!.toolUseId, decision: 'allow' } });
    await page.getByRole('heading', { name: 'Needs you' }).waitFor({ state: 'detached' });
    await ask(client, waiting!, call('Work', { label: 'again' }));
    await page.getByRole('heading', { name: 'Needs you' }).waitFor();
    await page.context().close();
  });

  it('archives, pins and closes several conversations at once', async () => {
    const { client, token } = await user(at(), 'a tidy one');
    const ids = await created(client, ['First', 'Second', 'Third']);
    const page = await pageOf(at(), token, '/');
    await page.getByRole('link', { name: /Third/ }).waitFor();
    // By keys: j goes down, x selects.
    await page.locator('#main').focus();
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    const bar = page.getByRole('region', { name: 'Selected conversations' });
    await bar.getByText('2 selected').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Select Third' }).isChecked()).toBe(true);
    await page.getByRole('checkbox', { name: 'Select Third' }).uncheck();
    await page.getByRole('checkbox', { name: 'Select First' }).check();
    await expectAccessibleEverywhere(page);
    await bar.getByRole('button', { name: 'Pin', exact: true }).click();
    await bar.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Pinned' }).waitFor();
    expect((await client.listSessions({ pinned: true })).data.map(({ title }) => title).toSorted()).toEqual(['First', 'Second']);

    await page.getByRole('button', { name: 'Select several' }).click();
    expect(await bar.getByRole('button', { name: 'Archive' }).isDisabled()).toBe(true);
    // What is pinned already can be unpinned only.
    await page.getByRole('checkbox', { name: 'Select First' }).check();
    await bar.getByRole('button', { name: 'Unpin', exact: true }).waitFor();
    expect(await bar.getByRole('button', { name: 'Pin', exact: true }).count()).toBe(0);
    await bar.getByRole('button', { name: 'Select all', exact: true }).click();
    await bar.getByText('3 selected').waitFor();
    await bar.getByRole('button', { name: 'Pin', exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Select First' }).uncheck();
    await page.getByRole('checkbox', { name: 'Select Second' }).uncheck();
    await page.getByRole('checkbox', { name: 'Select Third' }).uncheck();
    for (const title of ['First', 'Third']) await page.getByRole('checkbox', { name: `Select ${title}` }).check();
    await bar.getByRole('button', { name: 'Close' }).click();
    await bar.waitFor({ state: 'detached' });
    const statuses = await Promise.all(ids.map(async (id) => (await client.getSession({ id })).status));
    expect(statuses).toEqual(['closed', 'idle', 'closed']);
    await page.getByRole('button', { name: 'Select several' }).click();
    for (const title of ['First', 'Third']) await page.getByRole('checkbox', { name: `Select ${title}` }).check();
    await bar.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('link', { name: /First/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /Second/ }).waitFor();
    expect((await client.listSessions({ archived: true })).data).toHaveLength(2);
    await page.context().close();
  });

  it('puts conversations into folders, one or several, and lists one folder', async () => {
    const { client, token } = await user(at(), 'an orderly one');
    const [first, , third] = await created(client, ['A first', 'A second', 'A third']);
    await client.updateSession({ id: first!, body: { metadata: { project: 'x' } } });
    const page = await pageOf(at(), token, '/');
    await choose(page, 'Actions of A first', 'Move to folder…');
    await page.getByRole('dialog').getByRole('combobox', { name: 'Folder' }).fill('Letters');
    await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByRole('link', { name: /A first.*in Letters/s }).waitFor();
    expect((await client.getSession({ id: first! })).metadata).toEqual({ project: 'x', folder: 'Letters' });

    await page.getByRole('button', { name: 'Select several' }).click();
    for (const title of ['A second', 'A third']) await page.getByRole('checkbox', { name: `Select ${title}` }).check();
    const bar = page.getByRole('region', { name: 'Selected conversations' });
    await bar.getByRole('combobox', { name: 'Folder' }).fill('Bills');
    await bar.getByRole('button', { name: 'Move' }).click();
    await bar.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('combobox', { name: 'Folder' }).selectOption('Bills');
    await page.getByRole('link', { name: /A first/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /A second/ }).waitFor();
    await expectAccessibleEverywhere(page);
    // The address has the filter: the list can be loaded again, and linked.
    await page.waitForURL('**/console/?folder=Bills');
    await page.reload();
    await page.getByRole('button', { name: 'Without the filter in Bills' }).waitFor();
    await page.getByRole('link', { name: /A second/ }).waitFor();
    expect(await page.getByRole('link', { name: /A first/ }).count()).toBe(0);

    // Out of it again, from the conversation itself: it leaves the list of the folder at once.
    await page.getByRole('link', { name: /A third/ }).click();
    await chooseInConversation(page, 'Move to folder…');
    expect(await page.getByRole('combobox', { name: 'Folder' }).last().inputValue()).toBe('Bills');
    // Those that there are can be pressed, and so can none.
    const folders = page.getByRole('group', { name: 'Folders that there are' });
    await folders.getByRole('button', { name: 'Letters' }).waitFor();
    expect(await folders.getByRole('button', { name: 'Bills', pressed: true }).count()).toBe(1);
    await expectAccessibleEverywhere(page);
    await folders.getByRole('button', { name: 'No folder' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page
      .getByRole('complementary', { name: 'Conversations' })
      .getByRole('link', { name: /A third/ })
      .waitFor({ state: 'detached' });
    expect((await client.getSession({ id: third! })).metadata).toEqual({});
    // Beside a conversation the filter stays, and the address of the list has it again.
    await page.goBack();
    await page.waitForURL('**/console/?folder=Bills');
    await page.getByRole('link', { name: /A second/ }).click();
    await page.getByRole('link', { name: 'Conversations', exact: true }).click();
    await page.waitForURL('**/console/?folder=Bills');
    await page.getByRole('button', { name: 'Without the filter in Bills' }).click();
    await page.waitForURL('**/console/');
    await page.getByRole('link', { name: /A first/ }).waitFor();
    await page.context().close();
  });

  it('filters a list by its address, also when that has what is no filter', async () => {
    const { client, token } = await user(at(), 'one with a bookmark');
    await created(client, ['Mine']);
    const page = await pageOf(at(), token, '/?status=idle&since=never&folder=&archived=1');
    await page.getByRole('link', { name: /Mine/ }).waitFor();
    expect(await page.getByRole('group', { name: 'Filters' }).getByRole('button').count()).toBe(1);
    await page.goto(`${at().origin}/console/?status=asleep`);
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Without the filter asleep' }).click();
    await page.getByRole('link', { name: /Mine/ }).waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('offers admins the names of those with whom they may share', async () => {
    const { client, page } = at();
    await user(at(), 'Grace to share with');
    const { id } = await client.createSession({ body: { title: 'To share by name' } });
    await visit(page, `/sessions/${id}`);
    await chooseInConversation(page, 'Share…');
    await until('the name is offered', async () =>
      page.evaluate(`[...document.querySelector('input[list]')?.list?.options ?? []].some(({ value }) => value === 'Grace to share with')`),
    );
    const dialog = page.getByRole('dialog');
    const name = dialog.getByRole('combobox', { name: 'Name', exact: true });
    // Those without a role can be pressed, too; as many as fit.
    const suggested = dialog.getByRole('group', { name: 'Suggested people' }).getByRole('button');
    await suggested.first().click();
    expect(await name.inputValue()).toBe(await suggested.first().innerText());
    await name.fill('Grace to share with');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByText('Grace to share with', { exact: true }).waitFor();
    // The role is changed in its row, and taken away there.
    const role = page.getByRole('combobox', { name: 'Role of Grace to share with' });
    await role.selectOption('editor');
    const roles = async () => (await client.listGrants({ id })).data.map((one) => one.role).toSorted();
    await until('the role is another one', async () => (await roles()).includes('editor'));
    expect(await roles()).toEqual(['editor', 'owner']);
    await expectAccessibleEverywhere(page);
    await page.getByRole('button', { name: 'Remove Grace to share with' }).click();
    await page.getByRole('button', { name: 'Really remove Grace to share with' }).click();
    await role.waitFor({ state: 'detached' });
    expect(await roles()).toEqual(['owner']);
    // The server keeps no addresses of links: of one that was created here, its row has it too.
    await dialog.getByRole('button', { name: 'Create a link' }).click();
    const row = dialog.getByRole('region', { name: 'Links' }).getByRole('listitem');
    await row.getByRole('button', { name: 'Copy' }).waitFor();
    await expectAccessibleEverywhere(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await choose(page, 'Actions of this conversation', 'Share…');
    await row.getByRole('button', { name: /^Revoke / }).waitFor();
    expect(await row.getByRole('button', { name: 'Copy' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Done' }).click();
  });

  it('previews of each conversation what can be read of its last text', async () => {
    const { client, token } = await user(at(), 'one who reads previews');
    const texts = [
      ['Front matter', '---\nname: x\ndescription: y\n---\nIt is kept now.', 'It is kept now.'],
      ['Table', '| step | what |\n|---|---|\n| one | begin |', 'one, begin'],
      ['Code first', '```yaml\nlimits: none\n```\nFind it with **this**.', 'Find it with this.'],
      ['Only code', '```js\nlet x = 1;\n```', 'let x = 1;'],
      ['List', 'For yesterday:\n- keys are read\n- search runs', 'For yesterday: keys are read; search runs'],
      ['Dash', 'It is done - all of it.', 'It is done - all of it.'],
      ['Echo', 'memory returned: “Kept in a file”', 'Kept in a file'],
    ] as const;
    for (const [title, text] of texts) {
      const { id } = await client.createSession({ body: { title } });
      await ask(client, id, `{{say ${text}}}`);
    }
    const page = await pageOf(at(), token, '/');
    for (const [title, , shown] of texts) {
      const row = page.locator('.session-row', { hasText: title });
      await row.waitFor();
      expect(await row.locator('.session-brief').innerText()).toBe(shown);
    }
    await page.context().close();
  });

  it('counts what a search finds, and takes words back that nothing has', async () => {
    const { client, token } = await user(at(), 'one who searches');
    const { id } = await client.createSession({ body: { title: 'The heron' } });
    await ask(client, id, 'Where does a heron sleep? {{say A heron sleeps in trees.}}');
    const page = await pageOf(at(), token, '/');
    const field = page.getByRole('searchbox', { name: 'Search titles and texts' });
    await field.fill('heron');
    await page.getByRole('status').getByText('3 hits in 1 conversation', { exact: true }).waitFor();
    await field.fill('hovercraft');
    await page.getByText('Nothing has “hovercraft”').waitFor();
    await expectAccessibleEverywhere(page);
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page.getByRole('link', { name: /The heron/ }).waitFor();
    expect(await field.inputValue()).toBe('');
    await page.context().close();
  });

  it('offers auditors no conversation of their own', async () => {
    const { token } = await user(at(), 'one who audits', 'auditor');
    const page = await pageOf(at(), token, '/');
    await page.getByText('An auditor has none.').waitFor();
    expect(await page.getByRole('button', { name: 'Select several' }).count()).toBe(0);
    await expectAccessibleEverywhere(page);
    expect(await page.getByRole('button', { name: 'New conversation' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Import conversations' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Try a payload' }).first().waitFor();
    await page.getByRole('link', { name: 'Audit of all logs' }).last().waitFor();
    // Those of all people are one press away.
    await page.getByRole('link', { name: 'Conversations of all people' }).last().click();
    await page.waitForURL('**/console/?scope=tenant');
    await page.locator('.session-row').first().waitFor();
    await page.context().close();
  });
}
