import { createClient } from '@verbatim/client';
import { expect, it } from '@jest/globals';
import { visit } from './support/browser.js';
import { becomes, type Console, expectAccessibleEverywhere } from './support/console.js';

/** Agents of the tenant, and what two admins do to the same settings. */
export function agentTests(at: () => Console): void {
  it('names agents with their prompt, model and tools, and says at a field what is wrong', async () => {
    const { client, page } = at();
    await visit(page, '/tenant');
    await visit(page, '/tenant/settings');
    const form = page.getByRole('form', { name: 'Agents' });
    const agent = (number: number) => form.getByRole('group', { name: new RegExp(`^Agent ${number}`) });
    const save = form.getByRole('button', { name: 'Save the agents' });
    const fill = async (number: number, fields: Readonly<Record<string, string>>): Promise<void> => {
      for (const [label, value] of Object.entries(fields))
        await agent(number)
          .getByLabel(new RegExp(`^${label}`))
          .fill(value);
    };
    const [WHAT, TOOLS] = ['What it is for, told to the model', 'Tools, with commas between them'];
    await form.getByRole('button', { name: 'Add an agent' }).press('Enter');
    await becomes(page, `document.activeElement.labels?.[0]?.textContent === 'Name'`);
    await page.keyboard.type('two words');
    await fill(1, { [WHAT]: 'finds faults', Prompt: 'Name the three worst faults.' });
    await save.click();
    await becomes(page, `document.activeElement.value === 'two words'`);
    await form.getByText('This must be 1 to 64 letters, digits, - and _.').waitFor();
    await fill(1, { Name: 'critic', Prompt: '' });
    await save.click();
    await becomes(page, `document.activeElement.matches('textarea[aria-invalid]')`);
    await fill(1, { Prompt: 'Name the three worst faults.', [TOOLS]: 'none', Model: 'claude-haiku-4-5' });
    await form.getByRole('button', { name: 'Add an agent' }).click();
    await fill(2, { Name: 'critic', [WHAT]: 'reads', Prompt: 'Read and sum up.', [TOOLS]: 'Read, Grep' });
    await save.click();
    await form.getByText('This is a name that stands here before.').waitFor();
    expect((await client.getSettings()).agents).toEqual({});
    await expectAccessibleEverywhere(page);
    await fill(2, { Name: 'reader' });
    await save.click();
    await form.getByRole('status').getByText('Saved').waitFor();
    const reader = { description: 'reads', prompt: 'Read and sum up.', tools: ['Read', 'Grep'] };
    expect((await client.getSettings()).agents).toEqual({
      critic: { description: 'finds faults', prompt: 'Name the three worst faults.', model: 'claude-haiku-4-5', tools: [] },
      reader,
    });
    await page.reload();
    await agent(2).waitFor();
    // What is stored is a row that says what it is, and has its fields when it is opened.
    const row = form.getByRole('button', { name: /^critic finds faults Claude Haiku 4.5 · no tools/ });
    await row.waitFor();
    expect(await agent(1).getByLabel(TOOLS).isVisible()).toBe(false);
    await expectAccessibleEverywhere(page);
    await row.press('Enter');
    await agent(1).getByLabel(TOOLS).waitFor();
    expect(await agent(1).getByLabel(TOOLS).inputValue()).toBe('none');
    await agent(1).getByLabel('Prompt').fill('');
    await row.press('Enter');
    await agent(1).getByLabel('Prompt').waitFor({ state: 'hidden' });
    // One that is wrong opens by itself.
    await save.click();
    await becomes(page, `document.activeElement.matches('textarea[aria-invalid]')`);
    await form.getByRole('button', { name: 'Remove Agent 1, critic' }).click();
    await save.click();
    await form.getByRole('status').getByText('Saved').waitFor();
    expect((await client.getSettings()).agents).toEqual({ reader });
    await client.updateSettings({ body: { agents: {} } });
  });

  it('offers the known tools to an agent, and names those that no tool answers to', async () => {
    const { client, page } = at();
    await client.updateSettings({ body: { agents: { critic: { description: 'finds faults', prompt: 'Name them.', tools: ['Look', 'Reed'] } } } });
    await visit(page, '/tenant');
    await visit(page, '/tenant/tools');
    await page.getByText('Agent critic: names tools that helpers are not offered: Reed').waitFor();
    await page.getByRole('link', { name: 'Agents in the settings' }).click();
    const form = page.getByRole('form', { name: 'Agents' });
    const agent = form.getByRole('group', { name: 'Agent 1, critic', exact: true });
    await form.getByRole('button', { name: /^critic finds faults .*2 tools, 1 unknown/ }).click();
    await agent.getByText('Helpers are offered no tool of this name: Reed. The agent works without it.').waitFor();
    const names = agent.getByLabel('Tools, with commas between them');
    await becomes(
      page,
      `document.getElementById(document.querySelector('input[value*="Reed"]').getAttribute('aria-describedby')).textContent.includes('Reed')`,
    );
    await agent.getByText('Choose from 3 tools').click();
    const chip = (name: string) => agent.getByRole('group', { name: 'Tools of Agent 1, critic' }).getByRole('button', { name, exact: true });
    expect(await chip('Look').getAttribute('aria-pressed')).toBe('true');
    await chip('Work').click();
    expect(await names.inputValue()).toBe('Look, Reed, Work');
    await expectAccessibleEverywhere(page);
    await names.fill('Look');
    await agent.getByText('Helpers are offered no tool').waitFor({ state: 'detached' });
    // Without the last one the agent has no tools, which is not the same as all of them.
    await chip('Look').click();
    expect(await names.inputValue()).toBe('none');
    await chip('Change').click();
    await form.getByRole('button', { name: 'Save the agents' }).click();
    await form.getByRole('status').getByText('Saved').waitFor();
    expect((await client.getSettings()).agents['critic']!.tools).toEqual(['Change']);
    await client.updateSettings({ body: { agents: {} } });
  });

  it('does not let an admin overwrite what another one has changed since, says who it was, and loads it', async () => {
    const { client, origin, page } = at();
    const { token } = await client.createToken({ body: { userName: 'the other admin', role: 'admin' } });
    const other = createClient({ baseUrl: origin, token });
    await client.updateSettings({ body: { instructions: null, permissions: {} } });
    await visit(page, '/tenant');
    await visit(page, '/tenant/settings');
    const form = page.getByRole('form', { name: 'Conversations' });
    const text = form.getByLabel(/^Instructions/);
    const save = form.getByRole('button', { name: 'Save', exact: true });
    await text.fill('Be brief.');
    await other.updateSettings({ body: { instructions: 'Be thorough.' } });
    await save.click();
    await form.getByText('Nothing was saved.').waitFor();
    await form.getByText(/the other admin has changed this at/).waitFor();
    expect((await client.getSettings()).instructions).toBe('Be thorough.');
    await expectAccessibleEverywhere(page);
    // Another section of the same page is not in the way.
    const rules = page.getByRole('form', { name: 'Permissions' });
    await rules.getByRole('button', { name: 'Add a rule' }).click();
    await rules.getByLabel('Rule 1', { exact: true }).fill('Read');
    await rules.getByRole('button', { name: 'Save the permissions' }).click();
    await rules.getByRole('status').getByText('Saved').waitFor();

    await form.getByRole('button', { name: 'Load what is stored' }).click();
    await becomes(page, `document.querySelector('form[aria-label=Conversations] textarea').value === 'Be thorough.'`);
    await text.fill('Be thorough and brief.');
    await save.click();
    await form.getByRole('status').getByText('Saved').waitFor();
    // Saved once more from the same page: the form knows its own version.
    await text.fill('Be brief and thorough.');
    await save.click();
    await becomes(page, `document.querySelectorAll('[aria-label="Changes of the settings"] li').length >= 4`);
    expect((await client.getSettings()).instructions).toBe('Be brief and thorough.');
    const changes = page.getByRole('region', { name: 'Changes of the settings' });
    await changes.getByText('the other admin changed instructions').waitFor();
    await client.updateSettings({ body: { instructions: null, permissions: {} } });
  });
}
