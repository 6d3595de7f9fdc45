import { expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { visit } from './support/browser.js';
import { becomes, type Console, expectAccessibleEverywhere } from './support/console.js';

/** Settings of the tenant that have a form. */
export function settingTests(at: () => Console): void {
  it('changes the rules of the tenant for tool calls, a row each, and says at a row why it is none', async () => {
    const { client, page } = at();
    await client.updateSettings({ body: { permissions: { allow: ['Read', 'Glob'], deny: ['Bash(rm:*)'] } } });
    await visit(page, '/tenant');
    await visit(page, '/tenant/settings');
    const form = page.getByRole('form', { name: 'Permissions' });
    const rule = (number: number) => form.getByRole('textbox', { name: `Rule ${number}` });
    const save = form.getByRole('button', { name: 'Save the permissions' });
    await rule(3).waitFor();
    expect(await Promise.all([1, 2, 3].map((number) => rule(number).inputValue()))).toEqual(['Bash(rm:*)', 'Read', 'Glob']);
    // With the keyboard: the new row has the focus.
    await form.getByRole('button', { name: 'Add a rule' }).press('Enter');
    await becomes(page, `document.activeElement.ariaLabel === 'Rule 4'`);
    await page.keyboard.type('Bash(git push');
    await rule(2).fill('not a rule');
    await page.keyboard.press('Enter');
    await form.getByRole('alert').getByText('Nothing was saved').waitFor();
    await becomes(page, `document.activeElement.ariaLabel === 'Rule 2'`);
    for (const number of [2, 4]) {
      const [invalid, fault] = [await rule(number).getAttribute('aria-invalid'), await rule(number).getAttribute('aria-describedby')];
      expect([number, invalid, await form.locator(`[id="${fault}"]`).innerText()]).toEqual([number, 'true', expect.stringContaining('is not a rule')]);
    }
    expect(await rule(1).getAttribute('aria-invalid')).toBeNull();
    expect((await client.getSettings()).permissions.allow).toEqual(['Read', 'Glob']);
    await expectAccessibleEverywhere(page);

    await rule(2).fill('Edit(src/**)');
    await rule(4).fill(' Bash(git push:*) ');
    await form.getByRole('combobox', { name: 'What rule 2 does' }).selectOption('ask');
    await form.getByRole('button', { name: 'Remove rule 3' }).click();
    await becomes(page, `document.activeElement.textContent === 'Add a rule'`);
    await save.click();
    await form.getByRole('status').getByText('Saved').waitFor();
    const wanted = { deny: ['Bash(rm:*)'], ask: ['Edit(src/**)', 'Bash(git push:*)'], allow: [] };
    expect((await client.getSettings()).permissions).toEqual(wanted);
    await form.locator('summary').click();
    expect(JSON.parse(await form.getByLabel('Permissions as JSON').innerText())).toEqual(wanted);
    for (let left = 3; left > 0; left -= 1) await form.getByRole('button', { name: 'Remove rule 1' }).click();
    await save.click();
    await form.getByRole('status').getByText('Saved').waitFor();
    expect((await client.getSettings()).permissions).toEqual({ deny: [], ask: [], allow: [] });
  });

  it('saves whether conversations may run tools without asking with the form, not with a click', async () => {
    const { client, page } = at();
    await visit(page, '/tenant');
    await visit(page, '/tenant/settings');
    const form = page.getByRole('form', { name: 'Conversations' });
    const box = form.getByRole('checkbox', { name: /may run tools without asking/ });
    const save = form.getByRole('button', { name: 'Save', exact: true });
    const written: string[] = [];
    page.on('request', (request) => request.method() === 'PATCH' && written.push(request.postData() ?? ''));
    for (const wanted of [false, true]) {
      await box.setChecked(wanted);
      await form.getByLabel(/^Days until/).fill(wanted ? '' : '90');
      if (!wanted) await form.getByRole('checkbox', { name: /older than 90 days/ }).check();
      expect(written).toEqual([]);
      await save.click();
      await until('it is saved', async () => (await client.getSettings()).bypassPermissions === wanted);
      expect(await client.getSettings()).toMatchObject({ bypassPermissions: wanted, retentionDays: wanted ? null : 90 });
      expect(written.splice(0)).toHaveLength(1);
      await becomes(page, `document.querySelector('form[aria-label=Conversations] [type=submit]').disabled === false`);
    }
  });

  it('names MCP servers with their headers, never shows the values of these, and says at a field what is wrong', async () => {
    const { client, page } = at();
    const secret = 'Bearer of-the-tracker';
    await visit(page, '/tenant');
    await visit(page, '/tenant/settings');
    const form = page.getByRole('form', { name: 'MCP servers' });
    const field = (name: string, server = 1) => form.getByRole('group', { name: new RegExp(`^Server ${server}`) }).getByLabel(name, { exact: true });
    const value = (header: number) => form.getByLabel(new RegExp(`^Value of header ${header} of Server 1`));
    const header = (number: number) => form.getByLabel(new RegExp(`^Name of header ${number} of Server 1`));
    const save = form.getByRole('button', { name: 'Save the MCP servers' });
    const stored = async () => (await client.getSettings()).mcpServers;
    await form.getByRole('button', { name: 'Add a server' }).press('Enter');
    await becomes(page, `document.activeElement.labels?.[0].textContent.trim() === 'Name'`);
    await page.keyboard.type('the tracker');
    await field('URL').fill('ftp://mcp.example.com');
    await form.getByRole('button', { name: /^Add a header/ }).press('Enter');
    await becomes(page, `document.activeElement.ariaLabel.startsWith('Name of header 1')`);
    await page.keyboard.type('Authori zation');
    await value(1).fill(secret);
    await form.locator('summary').click();
    const json = form.getByLabel('MCP servers as JSON');
    await json.getByText('the tracker').waitFor();
    expect(await json.innerText()).not.toContain(secret);
    await form.locator('summary').click();
    await save.click();
    await form.getByRole('alert').getByText('Nothing was saved').waitFor();
    await becomes(page, `document.activeElement.value === 'the tracker'`);
    const faultAt = async (of: typeof save): Promise<string> => form.locator(`[id="${await of.getAttribute('aria-describedby')}"]`).innerText();
    expect(await faultAt(field('Name'))).toBe('This must be 1 to 64 letters, digits, - and single _.');
    // What a server without a valid name has is not looked at.
    await field('Name').fill('tracker');
    await save.click();
    await becomes(page, `document.activeElement.value === 'ftp://mcp.example.com'`);
    expect(await faultAt(field('URL'))).toBe('This must be a URL that begins with https:// or http://.');
    expect(await faultAt(header(1))).toBe('This is not a valid header name.');
    await expectAccessibleEverywhere(page);
    expect(await stored()).toEqual({});

    await field('URL').fill('https://mcp.example.com/mcp');
    await header(1).fill('Authorization');
    await save.click();
    await form.getByRole('status').getByText('Saved').waitFor();
    expect(await stored()).toEqual({ tracker: { url: 'https://mcp.example.com/mcp', headers: { Authorization: '•••' } } });
    expect(await value(1).inputValue()).toBe('');

    // A second one of the same name would take the place of the first.
    await form.getByRole('button', { name: 'Add a server' }).click();
    await field('Name', 2).fill('tracker');
    await field('URL', 2).fill('https://other.example.com/mcp');
    await save.click();
    await form.getByText('This is a name that stands here before.').waitFor();
    await field('Name', 2).fill('other');
    await form.getByRole('button', { name: /^Add a header to Server 1/ }).click();
    await header(2).fill('X-Team');
    await value(2).fill('blue');
    const saved = page.waitForRequest((request) => request.method() === 'PATCH');
    await save.click();
    await form.getByRole('status').getByText('Saved').waitFor();
    // What is stored stays, but goes to no other address.
    const sent = JSON.parse((await saved).postData()!) as unknown;
    expect(sent).toMatchObject({ mcpServers: { tracker: { headers: { Authorization: '•••', 'X-Team': 'blue' } }, other: {} } });
    await field('URL').fill('https://elsewhere.example.com/mcp');
    await save.click();
    await form
      .getByText(/^This is the placeholder of a hidden value/)
      .first()
      .waitFor();
    await page.reload();
    await form.locator('summary').click();
    const shown = await form.getByLabel('MCP servers as JSON').innerText();
    expect(JSON.parse(shown)).toEqual(await stored());
    expect(Object.keys(await stored())).toEqual(['tracker', 'other']);
    expect(await page.content()).not.toContain(secret);
    for (const name of [/^Remove Server 2/, /^Remove Server 1/]) await form.getByRole('button', { name }).click();
    await save.click();
    await form.getByRole('status').getByText('Saved').waitFor();
    expect(await stored()).toEqual({});
  });
}
