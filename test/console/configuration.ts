import { expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { visit } from './support/browser.js';
import { becomes, type Console, expectAccessibleEverywhere, chooseInConversation } from './support/console.js';

/** A folder with one plugin, which is off until a tenant enables it. */
export async function installPlugins(): Promise<{ readonly folder: string; readonly remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'console-plugins-'));
  for (const [file, text] of [
    ['.claude-plugin/plugin.json', JSON.stringify({ name: 'house', description: 'Rules of the house' })],
    ['commands/tidy.md', '---\ndescription: Tidies up\n---\nTidy.'],
    ['commands/sweep.md', '---\ndescription: Sweeps\n---\nSweep.'],
  ] as const) {
    const at = path.join(folder, 'house', file);
    await mkdir(path.dirname(at), { recursive: true });
    await writeFile(at, text);
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** What an admin has connected to the conversations of a tenant, and what is kept of these. */
export function configurationTests(at: () => Console): void {
  it('sets hooks with their headers, shows the secret once, replaces it, and says at a field what is wrong', async () => {
    const { client, page } = at();
    await visit(page, '/tenant');
    await visit(page, '/tenant/settings');
    const form = page.getByRole('form', { name: 'Hooks' });
    const hook = (number: number) => form.getByRole('group', { name: `Hook ${number}` });
    const save = form.getByRole('button', { name: 'Save the hooks' });
    const stored = async () => (await client.getSettings()).hooks;
    await form.getByRole('button', { name: 'Add a hook' }).press('Enter');
    await becomes(page, `document.activeElement.matches('select') && document.activeElement.labels[0].textContent.startsWith('Called')`);
    await hook(1).getByLabel('Called').selectOption('PreToolUse');
    await hook(1)
      .getByLabel(/^Tools/)
      .fill('Bash(');
    await hook(1).getByLabel('URL').fill('http://hooks.example.com/tools');
    await hook(1)
      .getByLabel(/^Seconds/)
      .fill('90');
    await hook(1)
      .getByRole('button', { name: /^Add a header/ })
      .press('Enter');
    await becomes(page, `document.activeElement.ariaLabel === 'Name of header 1 of Hook 1'`);
    await page.keyboard.type('Verbatim-Key');
    await save.click();
    await form.getByRole('alert').getByText('Nothing was saved').waitFor();
    const faultAt = async (label: string | RegExp): Promise<string> =>
      form.locator(`[id="${await hook(1).getByLabel(label, { exact: true }).getAttribute('aria-describedby')}"]`).innerText();
    expect(await faultAt('Name of header 1 of Hook 1')).toBe('This is set by the server.');
    await hook(1).getByLabel('Name of header 1 of Hook 1').fill('Authorization');
    await hook(1).getByLabel('Value of header 1 of Hook 1').fill('Bearer of-the-hook');
    await save.click();
    await becomes(page, `document.activeElement.value === 'Bash('`);
    expect(await faultAt(/^Tools/)).toContain('may hold names');
    await hook(1)
      .getByLabel(/^Tools/)
      .fill('Bash|Read');
    await save.click();
    await becomes(page, `document.activeElement.value === '90'`);
    expect(await faultAt(/^Seconds/)).toBe('This must be at most 10 seconds.');
    await hook(1)
      .getByLabel(/^Seconds/)
      .fill('5');
    await save.click();
    await becomes(page, `document.activeElement.value === 'http://hooks.example.com/tools'`);
    expect(await faultAt('URL')).toContain('https://');
    await hook(1).getByLabel('URL').fill('https://hooks.example.com/tools');
    await expectAccessibleEverywhere(page);
    expect(await stored()).toEqual({});

    await save.click();
    await form.getByRole('status').getByText('Saved').waitFor();
    const wanted = { matcher: 'Bash|Read', hooks: [{ type: 'http', url: 'https://hooks.example.com/tools', timeout: 5, headers: { Authorization: '•••' } }] };
    expect(await stored()).toEqual({ PreToolUse: [wanted] });
    const secret = page.getByRole('region', { name: 'Secret of the hooks' });
    const first = await secret.locator('code').innerText();
    expect(first).toMatch(/^vbhook_/);
    await secret.getByRole('button', { name: 'Replace the secret of the hooks' }).click();
    await secret.getByRole('button', { name: 'Really replace the secret of the hooks' }).click();
    await becomes(page, `document.querySelector('[aria-label="Secret of the hooks"] code').textContent !== '${first}'`);

    // A second one, at an event that has no matcher; the first keeps its header.
    await form.getByRole('button', { name: 'Add a hook' }).click();
    await hook(2).getByLabel('Called').selectOption('Stop');
    expect(
      await hook(2)
        .getByLabel(/with \| between/)
        .count(),
    ).toBe(0);
    await hook(2).getByLabel('URL').fill('https://hooks.example.com/stop');
    await save.click();
    await form.getByRole('status').getByText('Saved').waitFor();
    expect(await stored()).toEqual({ PreToolUse: [wanted], Stop: [{ hooks: [{ type: 'http', url: 'https://hooks.example.com/stop' }] }] });
    await page.reload();
    await hook(2).waitFor();
    const shown = await page.content();
    expect([shown.includes('vbhook_'), shown.includes('of-the-hook')]).toEqual([false, false]);
    for (const number of [2, 1])
      await hook(number)
        .getByRole('button', { name: `Remove Hook ${number}` })
        .click();
    await save.click();
    await form.getByRole('status').getByText('Saved').waitFor();
    expect(await stored()).toEqual({});
  });

  it('switches plugins and skills on and off, and keeps what is set of others', async () => {
    const { client, page } = at();
    await client.updateSettings({ body: { plugins: { gone: true }, skills: { absent: false } } });
    await visit(page, '/tenant');
    await visit(page, '/tenant/settings');
    const plugins = page.getByRole('form', { name: 'Plugins' });
    const skills = page.getByRole('form', { name: 'Skills' });
    const house = plugins.getByRole('checkbox', { name: /^house/ });
    expect([await house.isChecked(), await skills.getByRole('checkbox').count()]).toEqual([false, 0]);
    await plugins.getByText('Rules of the house').waitFor();
    await house.check();
    await plugins.getByRole('button', { name: 'Save the plugins' }).click();
    const tidy = skills.getByRole('checkbox', { name: /^house:tidy/ });
    await tidy.waitFor();
    expect((await client.getSettings()).plugins).toEqual({ gone: true, house: true });
    await expectAccessibleEverywhere(page);
    await tidy.uncheck();
    await skills.getByRole('button', { name: 'Save the skills' }).click();
    await skills.getByRole('status').getByText('Saved').waitFor();
    expect((await client.getSettings()).skills).toEqual({ absent: false, 'house:tidy': false });
    expect((await client.listSkills()).data.map(({ name }) => name)).toEqual(['house:sweep']);
    await page.reload();
    await tidy.waitFor();
    expect([await tidy.isChecked(), await house.isChecked()]).toEqual([false, true]);
    await client.updateSettings({ body: { plugins: {}, skills: {} } });
  });

  it('tests an MCP server as it is written, before it is saved', async () => {
    const { client, page, server } = at();
    await visit(page, '/tenant');
    await visit(page, '/tenant/settings');
    const form = page.getByRole('form', { name: 'MCP servers' });
    await form.getByRole('button', { name: 'Add a server' }).click();
    const field = (name: string) => form.getByRole('group', { name: /^Server 1/ }).getByLabel(name, { exact: true });
    const test = form.getByRole('button', { name: /^Test Server 1/ });
    await field('Name').fill('two words');
    await field('URL').fill('https://mcp.example.com/mcp');
    await test.click();
    await becomes(page, `document.activeElement.value === 'two words'`);
    await form.getByText('This must be 1 to 64 letters').waitFor();
    await field('Name').fill('tracker');
    server.tools.tried = { tools: [{ ...server.tools.definitions[0]!, name: 'mcp__tracker__find', description: 'Finds <b>things</b>' }], problems: [] };
    await test.click();
    await form.getByText('It offers 1 tool.').waitFor();
    await form.getByText('Finds <b>things</b>').waitFor();
    await expectAccessibleEverywhere(page);
    server.tools.tried = { tools: [], problems: ['It cannot be used now: it did not answer.'] };
    await test.click();
    await form.getByText('It cannot be used now: it did not answer.').waitFor();
    // What was found is about the address that was written then.
    await field('URL').fill('https://mcp.example.com/other');
    await becomes(page, `!document.querySelector('form[aria-label="MCP servers"]').textContent.includes('did not answer')`);
    expect((await client.getSettings()).mcpServers).toEqual({});
    // It was not saved, so the page asks.
    await visit(page, '/');
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('places a legal hold on a conversation, and releases it', async () => {
    const { client, page } = at();
    const { id } = await client.createSession({ body: { title: 'Held for a case' } });
    await visit(page, `/sessions/${id}`);
    const menu = (): Promise<void> => chooseInConversation(page, 'Legal hold…');
    const dialog = page.getByRole('dialog', { name: 'Legal hold' });
    await menu();
    await dialog.getByLabel(/^Reason/).fill('case 17');
    await expectAccessibleEverywhere(page);
    await dialog.getByRole('button', { name: 'Place the hold' }).click();
    await page.getByText('legal hold', { exact: true }).waitFor();
    expect((await client.getSession({ id })).held).toBe(true);
    await menu();
    // It is read before it is released: who has placed it, and why.
    const placed = dialog.getByLabel('The hold');
    await placed.getByText('case 17', { exact: true }).waitFor();
    expect((await placed.locator('dd').allInnerTexts())[0]).toBe('admin');
    await expectAccessibleEverywhere(page);
    await dialog.getByRole('button', { name: 'Release the hold' }).click();
    await becomes(page, `!document.querySelector('.session-head').textContent.includes('legal hold')`);
    expect((await client.getSession({ id })).held).toBe(false);
  });
}
