import { expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createClient } from '@verbatim/client';
import type { Route } from 'playwright-core';
import { until } from '../support/until.js';
import { visit } from './support/browser.js';
import { becomes, choose, type Console, expectAccessibleEverywhere, pageOf, user } from './support/console.js';

/** Of conversations, in the audit of the tenant. */
const PAGE = 20;

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
    await form.getByRole('checkbox', { name: 'read conversations sessions:read' }).check();
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('Shown this once').waitFor();
    expect(await tokens()).toMatchObject([{ role: 'member', scopes: ['sessions:read'] }]);
    await form.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row').filter({ hasText: 'reader' }).getByText('read conversations').waitFor();
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
    await page.getByRole('menuitem', { name: 'Disable' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem', { name: 'Disable' }).waitFor({ state: 'detached' });
    await actions.press('Enter');
    await page.getByRole('menuitem', { name: 'Disable' }).press('Enter');
    await page.getByRole('row').filter({ hasText: 'Gus' }).getByText('disabled').waitFor();
    await choose(page, 'Actions of Gus', 'Enable');
    await until('Gus is enabled', async () => (await client.getUser({ userId })).disabledAt === null);
    await choose(page, 'Actions of Gus', 'Delete…');
    const dialog = page.getByRole('dialog', { name: 'Delete Gus?' });
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
    await page.getByRole('button', { name: 'Actions of admin' }).click();
    await page.getByRole('menuitem').first().waitFor();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Limits…']);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Actions of Hal' }).click();
    await expectAccessibleEverywhere(page);
  });

  it('sets limits, shows what is used of them, and keeps those of single people', async () => {
    const { client, page } = at();
    const ida = await user(at(), 'Ida');
    const users = { [ida.userId]: { promptsPerDay: 7 } };
    const unshown = { users, tokens: { [randomUUID()]: { dollarsPerDay: 5 } }, session: { tokensPerDay: 1_000_000 } };
    await client.updateSettings({ body: { quotas: unshown } });
    await visit(page, '/tenant/usage');
    const form = page.getByRole('form', { name: 'Limits' });
    const tenant = form.getByRole('group', { name: 'The tenant as a whole' });
    let sent = 0;
    page.on('request', (request) => (sent += request.method() === 'PATCH' ? 1 : 0));
    await tenant.getByLabel('Prompts a day').fill('-1');
    await form.getByRole('button', { name: 'Save the limits' }).click();
    await becomes(page, `document.activeElement.matches('input:invalid')`);
    expect([sent, (await client.getSettings()).quotas]).toEqual([0, unshown]);
    await tenant.getByLabel('Prompts a day').fill('100000');
    await form.getByRole('button', { name: 'Save the limits' }).click();
    await tenant.getByText(/ of 100,000 used/).waitFor();
    expect((await client.getSettings()).quotas).toEqual({ tenant: { promptsPerDay: 100_000 }, user: {}, ...unshown });
    await expectAccessibleEverywhere(page);
    await tenant.getByLabel('Storage').fill('4.700000001');
    await form.getByRole('button', { name: 'Save the limits' }).click();
    await tenant.getByText(/ of 4\.7 GB used/).waitFor();
    expect((await client.getSettings()).quotas).toMatchObject({ tenant: { storageBytes: 4_700_000_001 } });
    await page.reload();
    expect(await tenant.getByLabel('Storage').inputValue()).toBe('4.700000001');
    await tenant.getByLabel('Storage').fill('');
    await tenant.getByLabel('Prompts a day').fill('');
    await form.getByRole('button', { name: 'Save the limits' }).click();
    await tenant.getByText(/ of 100,000 used/).waitFor({ state: 'detached' });
    await client.updateSettings({ body: { quotas: {} } });
  });

  it('sets limits for one person, which hold instead of those of each, and takes them back', async () => {
    const { client, page } = at();
    const { userId } = await user(at(), 'Pia');
    const other = { [(await user(at(), 'Quin')).userId]: { sessions: 3 } };
    await client.updateSettings({ body: { quotas: { user: { promptsPerDay: 50 }, users: other } } });
    await visit(page, '/tenant');
    await visit(page, '/tenant/people');
    const form = page.getByRole('form', { name: 'Limits of a person' });
    const open = async (): Promise<void> => {
      await choose(page, 'Actions of Pia', 'Limits…');
      await form.getByText('each person: 50', { exact: true }).waitFor();
    };
    await open();
    await expectAccessibleEverywhere(page);
    await form.getByLabel('Dollars a day').fill('2.5');
    await form.getByLabel('Storage').fill('1.5');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const own = { [userId]: { dollarsPerDay: 2.5, storageBytes: 1_500_000_000 } };
    expect((await client.getSettings()).quotas).toEqual({ user: { promptsPerDay: 50 }, users: { ...other, ...own } });
    await open();
    expect(await form.getByLabel('Storage').inputValue()).toBe('1.5');
    await form.getByRole('button', { name: 'Use the limits of each person' }).click();
    await form.waitFor({ state: 'detached' });
    expect((await client.getSettings()).quotas).toEqual({ user: { promptsPerDay: 50 }, users: other });
    await client.updateSettings({ body: { quotas: {} } });
  });

  it('asks before settings that are not saved are left, by a link, the back button, or the closing of the tab', async () => {
    const { origin, server } = at();
    const { token } = await server.tenant('that leaves');
    const page = await pageOf(at(), token!, '/tenant/settings');
    const wouldStay = () => page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
    const field = page.getByLabel('Instructions for the model, in every conversation');
    const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
    await field.waitFor();
    expect(await wouldStay()).toBe(false);
    await field.fill('Be brief.');
    expect(await wouldStay()).toBe(true);
    await page.getByRole('link', { name: 'People' }).click();
    await expectAccessibleEverywhere(page);
    await asked.getByRole('button', { name: 'Stay' }).click();
    await asked.waitFor({ state: 'detached' });
    expect([page.url(), await field.inputValue()]).toEqual([`${origin}/console/tenant/settings`, 'Be brief.']);
    await visit(page, '/tenant/usage'); // as the back button does
    await asked.waitFor();
    expect(page.url()).toBe(`${origin}/console/tenant/settings`);
    await asked.getByRole('button', { name: 'Discard the changes' }).click();
    await page.waitForURL('**/tenant/usage');
    expect(await wouldStay()).toBe(false);
    await page.getByRole('link', { name: 'Settings' }).click();
    await field.fill('Be kind.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'People' }).click();
    await page.waitForURL('**/tenant/people');
    // What is being saved is asked for as well; the answer of the server is as good as that of the person.
    await page.getByRole('link', { name: 'Settings' }).click();
    await field.fill('Be quick.');
    const held: Route[] = [];
    await page.route('**/v1/settings', (route) => void held.push(route), { times: 1 });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until('the request is under way', () => Promise.resolve(held.length === 1));
    await page.getByRole('link', { name: 'People' }).click();
    await asked.waitFor();
    await held[0]!.continue();
    await page.waitForURL('**/tenant/people');
    await asked.waitFor({ state: 'detached' });
    await page.context().close();
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

  it('marks the section of the settings that is read, at the end of the page the last one or the one that was chosen', async () => {
    const { page } = at();
    await visit(page, '/tenant/settings');
    const sections = page.getByRole('navigation', { name: 'Sections of the settings' });
    const marked = (name: string) => becomes(page, `document.querySelector('.section-nav [aria-current]')?.textContent === '${name}'`);
    await sections.getByRole('button', { name: 'Feature gates' }).waitFor();
    await marked('Conversations');
    await sections.getByRole('button', { name: 'Agents' }).click();
    await marked('Agents');
    await page.evaluate(`document.querySelector('.page').scrollTop = 1e6`);
    await marked('Changes of the settings');
    await page.evaluate(`document.querySelector('.page').scrollTop = 0`);
    await marked('Conversations');
    await sections.getByRole('button', { name: 'Feature gates' }).click();
    await marked('Feature gates');
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

  it('says who erased, held, shared and opened which conversation, to admins and auditors, without content', async () => {
    const { server, origin } = at();
    const { token } = await server.tenant('that is shared');
    const client = createClient({ baseUrl: origin, token: token! });
    const made = async (userName: string, role: 'member' | 'auditor') => client.createToken({ body: { userName, role } });
    const [una, otto, ines] = [await made('Una <b>', 'member'), await made('Otto', 'member'), await made('Ines', 'auditor')];
    const own = createClient({ baseUrl: origin, token: una.token });
    const { id } = await own.createSession({ body: { title: 'the marmalade affair' } });
    await own.grantRole({ id, principal: `user:${otto.userId}`, body: { role: 'editor' } });
    const { id: linkId } = await own.createLink({ id, body: { expiresAt: new Date(Date.now() + 3_600_000).toISOString() } });
    await own.revokeLink({ id, linkId });
    await createClient({ baseUrl: origin, token: ines.token }).breakGlass({ id, body: { reason: 'the marmalade was reported' } });
    await client.placeHold({ id, body: {} });
    await client.releaseHold({ id });
    await own.eraseSession({ id, reason: 'no marmalade any more' });
    const page = await pageOf(at(), token!, '/tenant/audit');
    const changes = page.getByRole('region', { name: 'What was changed' });
    const chip = (name: string) => changes.getByRole('group', { name: 'Show changes of' }).getByRole('button', { name, exact: true });
    const lines = async (of: string, least: number): Promise<readonly string[]> => {
      await chip(of).click();
      await until(`${of} are listed`, async () => (await changes.getByRole('listitem').count()) === least);
      return (await changes.getByRole('listitem').locator('span').allInnerTexts()).map((line) => line.replace(/, until .*/, ', until then'));
    };
    const where = `the conversation ${id.slice(0, 8)}`;
    expect(await lines('erasures', 1)).toEqual([`Una <b> erased the content of ${where}`]);
    expect(await lines('holds', 2)).toEqual([`admin released the legal hold of ${where}`, `admin placed a legal hold on ${where}`]);
    expect(await lines('roles', 1)).toEqual([`Una <b> gave Otto the role editor in ${where}`]);
    expect(await lines('links', 2)).toEqual([`Una <b> revoked a link to ${where}`, `Una <b> made a link to ${where}`]);
    expect(await lines('emergency access', 1)).toEqual([`Ines got emergency access to ${where}, until then`]);
    await chip('all').click();
    await changes.getByRole('button', { name: 'Show more' }).click();
    await changes.getByText('made a token without a name (auditor) for Ines').waitFor();
    await changes.getByText('erased the content of').waitFor();
    expect(await changes.innerText()).not.toContain('marmalade');
    await expectAccessibleEverywhere(page);
    expect(await changes.getByRole('link', { name: where }).first().getAttribute('href')).toBe(`/console/sessions/${id}/audit`);
    await page.context().close();

    // An auditor sees what was done to conversations, and no settings, people and tokens.
    const auditor = await pageOf(at(), ines.token, '/tenant/audit');
    await auditor.getByText('erased the content of').waitFor();
    expect(await auditor.getByRole('group', { name: 'Show changes of' }).getByRole('button').allInnerTexts()).toEqual([
      ...['all', 'erasures', 'holds', 'roles', 'links', 'emergency access'],
    ]);
    await auditor.context().close();
  });

  it('says of the logs of one page that they are valid, and of no others, and pages back and forth', async () => {
    const { server, origin } = at();
    const { token } = await server.tenant('of two pages');
    const client = createClient({ baseUrl: origin, token: token! });
    for (let left = PAGE + 1; left > 0; left -= 1) await client.createSession({ body: {} });
    await until('all logs are audited', async () => {
      const { data, nextCursor } = await client.auditTenant({});
      return data.length === PAGE && nextCursor !== null && (await client.auditTenant({ cursor: nextCursor })).data.length === 1;
    });
    const page = await pageOf(at(), token!, '/tenant/audit');
    const logs = page.getByRole('region', { name: 'Logs of the conversations' });
    await logs.getByText('every log of this page is valid').waitFor();
    await logs.getByText(`Conversations 1 to ${PAGE} with`).waitFor();
    expect(await logs.getByRole('button', { name: 'Previous page' }).isDisabled()).toBe(true);
    await logs.getByRole('button', { name: 'Next page' }).click();
    await logs.getByText(`Conversations ${PAGE + 1} to ${PAGE + 1} with`).waitFor();
    await logs.getByText('every log of this page is valid').waitFor();
    expect(await logs.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true);
    await logs.getByRole('button', { name: 'Previous page' }).click();
    await logs.getByText(`Conversations 1 to ${PAGE} with`).waitFor();
    await page.context().close();
  });

  it('says who changed what in the tenant, day by day, and names the conversations of the logs that one may read', async () => {
    const { server, origin } = at();
    const { token } = await server.tenant('that is audited');
    const client = createClient({ baseUrl: origin, token: token! });
    await client.updateSettings({ body: { gates: { ultraplan: true } } });
    const { token: own } = await client.createToken({ body: { userName: 'Una <b>', role: 'member', name: 'of <i>Una</i>' } });
    await client.createSession({ body: { title: 'Of the <b>admin</b>' } });
    const { id: other } = await createClient({ baseUrl: origin, token: own }).createSession({ body: { title: 'Of Una' } });
    // The audit goes by what is in the transparency log.
    await until('both logs are audited', async () => (await client.auditTenant({})).data.length === 2);
    const page = await pageOf(at(), token!, '/tenant/audit');
    const changes = page.getByRole('region', { name: 'What was changed' });
    const today = changes.getByRole('region').first();
    await today.getByText('admin changed feature gates').waitFor();
    await today.getByText('Una <b> joined').waitFor();
    await today.getByText('made the token “of <i>Una</i>” (member) for Una <b>').waitFor();
    await changes.getByRole('button', { name: 'people' }).click();
    await changes.getByText('changed feature gates').waitFor({ state: 'detached' });
    await changes.getByText('Una <b> joined').waitFor();
    const logs = page.getByRole('table', { name: 'Logs of the conversations' });
    await logs.getByRole('link', { name: 'Of the <b>admin</b>' }).waitFor();
    const others = logs.getByRole('rowheader', { name: 'A conversation of Una <b> not shared with you' });
    expect(await others.getByRole('link').getAttribute('href')).toBe(`/console/sessions/${other}/audit`);
    expect(
      await logs
        .getByRole('row', { name: /^A conversation of Una <b> not shared with you/ })
        .getByRole('cell')
        .first()
        .innerText(),
    ).toBe('Una <b>');
    // Also one whose content was erased, which leaves the list of conversations.
    await createClient({ baseUrl: origin, token: own }).eraseSession({ id: other });
    await page.reload();
    await others.waitFor();
    await expectAccessibleEverywhere(page);
    await page.context().close();
  });
}
