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
      expect(written).toEqual([]);
      await save.click();
      await until('it is saved', async () => (await client.getSettings()).bypassPermissions === wanted);
      expect(await client.getSettings()).toMatchObject({ bypassPermissions: wanted, retentionDays: wanted ? null : 90 });
      expect(written.splice(0)).toHaveLength(1);
      await becomes(page, `document.querySelector('form[aria-label=Conversations] [type=submit]').disabled === false`);
    }
  });
}
