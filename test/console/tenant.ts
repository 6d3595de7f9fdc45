import { expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { visit } from './support/browser.js';
import { becomes, type Console, expectAccessibleEverywhere, user } from './support/console.js';

/** What an admin does about the tenant. */
export function tenantTests(at: () => Console): void {
  it('makes no token before its role was chosen, and limits one to the scopes that were', async () => {
    const { client, page } = at();
    await visit(page, '/tenant');
    await page.getByRole('button', { name: 'New token' }).click();
    const form = page.getByRole('form', { name: 'New token' });
    await form.getByLabel('Name').fill('reader');
    const role = form.getByRole('combobox', { name: 'Role' });
    expect(await role.inputValue()).toBe('');
    const tokens = async () => (await client.listTokens({ limit: 200 })).data.filter(({ name }) => name === 'reader');
    let sent = 0;
    page.on('request', (request) => (sent += request.method() === 'POST' ? 1 : 0));
    await form.getByRole('button', { name: 'Create' }).click();
    await becomes(page, `document.activeElement.matches('select:invalid')`);
    expect([sent, await tokens()]).toEqual([0, []]);
    await role.selectOption('member');
    await form.locator('summary').click();
    await form.getByRole('checkbox', { name: 'sessions:read' }).check();
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('Shown this once').waitFor();
    expect(await tokens()).toMatchObject([{ role: 'member', scopes: ['sessions:read'] }]);
  });

  it('invites a person, gives them another role, disables, enables and deletes them', async () => {
    const { client, page } = at();
    await visit(page, '/tenant/people');
    await page.getByRole('button', { name: 'Invite a person' }).click();
    const form = page.getByRole('form', { name: 'Invite a person' });
    await form.getByLabel('Person').fill('Gus');
    await form.getByRole('combobox', { name: 'Role' }).selectOption('member');
    await form.getByRole('button', { name: 'Invite' }).click();
    await form.getByText('Shown this once').waitFor();
    await expectAccessibleEverywhere(page);
    await form.getByRole('button', { name: 'Done' }).click();
    await form.waitFor({ state: 'detached' });
    const { id: userId } = (await client.listUsers({ limit: 200 })).data.find(({ name }) => name === 'Gus')!;
    await page.getByRole('combobox', { name: 'Role of Gus' }).selectOption('auditor');
    await until('the role is another', async () => (await client.getUser({ userId })).role === 'auditor');
    const actions = page.getByRole('button', { name: 'Actions of Gus' });
    await actions.click();
    await becomes(page, `document.activeElement.ariaLabel === 'Disable Gus'`);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Disable Gus' }).waitFor({ state: 'detached' });
    await actions.press('Enter');
    await page.getByRole('button', { name: 'Disable Gus' }).press('Enter');
    await page.getByRole('row').filter({ hasText: 'Gus' }).getByText('disabled').waitFor();
    await actions.click();
    await page.getByRole('button', { name: 'Enable Gus' }).click();
    await until('Gus is enabled', async () => (await client.getUser({ userId })).disabledAt === null);
    await actions.click();
    await page.getByRole('button', { name: 'Delete Gus' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete a person' });
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await dialog.getByLabel(/^Reason/).fill('has left');
    await dialog.getByLabel('I know that this cannot be undone').check();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('rowheader', { name: `deleted person ${userId.slice(0, 8)}` }).waitFor();
    expect((await client.getUser({ userId })).deletedAt).not.toBeNull();
  });

  it('offers no person to change themselves, and the people are reached in both themes and on a phone', async () => {
    const { page } = at();
    await user(at(), 'Hal');
    await visit(page, '/tenant');
    await visit(page, '/tenant/people');
    await page.getByRole('combobox', { name: 'Role of Hal' }).waitFor();
    expect(await page.getByRole('button', { name: 'Actions of admin' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Actions of Hal' }).click();
    await expectAccessibleEverywhere(page);
  });

  it('sets limits, shows what is used of them, and keeps those of single people', async () => {
    const { client, page } = at();
    const ida = await user(at(), 'Ida');
    const users = { [ida.userId]: { promptsPerDay: 7 } };
    await client.updateSettings({ body: { quotas: { users } } });
    await visit(page, '/tenant/usage');
    const form = page.getByRole('form', { name: 'Limits' });
    const tenant = form.getByRole('group', { name: 'The tenant as a whole' });
    let sent = 0;
    page.on('request', (request) => (sent += request.method() === 'PATCH' ? 1 : 0));
    await tenant.getByLabel('Prompts a day').fill('-1');
    await form.getByRole('button', { name: 'Save the limits' }).click();
    await becomes(page, `document.activeElement.matches('input:invalid')`);
    expect([sent, (await client.getSettings()).quotas]).toEqual([0, { users }]);
    await tenant.getByLabel('Prompts a day').fill('100000');
    await form.getByRole('button', { name: 'Save the limits' }).click();
    await tenant.getByText(/ of 100,000 used/).waitFor();
    expect((await client.getSettings()).quotas).toEqual({ tenant: { promptsPerDay: 100_000 }, user: {}, users });
    await expectAccessibleEverywhere(page);
    await tenant.getByLabel('Prompts a day').fill('');
    await form.getByRole('button', { name: 'Save the limits' }).click();
    await tenant.getByText(/ of 100,000 used/).waitFor({ state: 'detached' });
    await client.updateSettings({ body: { quotas: {} } });
  });

  it('sets the models that may be asked, and says why a list is not one', async () => {
    const { client, page } = at();
    await visit(page, '/tenant/usage');
    const form = page.getByRole('form', { name: 'Models' });
    const save = form.getByRole('button', { name: 'Save the models' });
    await form.getByLabel('The tenant as a whole').fill('claude-*-5');
    await save.click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('The tenant as a whole').fill('claude-*, ');
    await form.getByLabel('Each person').fill('claude-haiku-*,claude-opus-5');
    await save.click();
    await until('the lists are kept', async () => (await client.getSettings()).models.user?.length === 2);
    expect((await client.getSettings()).models).toEqual({ tenant: ['claude-*'], user: ['claude-haiku-*', 'claude-opus-5'] });
    await expectAccessibleEverywhere(page);
    // An empty list, and lists of single people, stay what they are when another field is changed.
    const users = { [(await user(at(), 'Mia')).userId]: ['claude-opus-5'] };
    await client.updateSettings({ body: { models: { user: [], users } } });
    await page.reload();
    expect(await form.getByLabel('Each person').inputValue()).toBe('none');
    await form.getByLabel('The tenant as a whole').fill('claude-*');
    await save.click();
    await until('the list of the tenant is kept', async () => (await client.getSettings()).models.tenant?.length === 1);
    expect((await client.getSettings()).models).toEqual({ tenant: ['claude-*'], user: [], users });
    await client.updateSettings({ body: { models: {} } });
    await page.reload();
    await form.getByLabel('The tenant as a whole').fill('');
    await form.getByLabel('Each person').fill('');
    await save.click();
    await until('no list is left', async () => Object.keys((await client.getSettings()).models).length === 0);
  });

  it('turns one gate on, and leaves the others as the tenant has set them', async () => {
    const { client, page } = at();
    await visit(page, '/tenant/settings');
    for (const name of ['ultraplan', 'history-snip']) {
      await page.getByRole('button', { name: `Turn ${name} on` }).click();
      await page.getByRole('button', { name: `Turn ${name} off` }).waitFor();
    }
    expect((await client.getSettings()).gates).toEqual({ ultraplan: true, 'history-snip': true });
    await client.updateSettings({ body: { gates: {} } });
  });
}
