import { expect, it } from '@jest/globals';
import { createClient, type Prompt } from '@verbatim/client';
import { becomes, type Console, expectAccessible, opened, pageOf, tab, chooseInConversation } from './support/console.js';

/** What is written, edited and kept. */
export function editTests(at: () => Console): void {
  const prompt = () => at().page.getByRole('textbox', { name: 'Prompt' });
  const button = (name: string) => at().page.getByRole('button', { name, exact: true });
  const answers = () => at().page.locator('article.answer:not(.draft)');
  const submitted = async (id: string) => {
    const { data } = await at().client.listEvents({ id, limit: 500 });
    return data.flatMap((event) => (event.type === 'prompt.submitted' ? [event.data.submission] : []));
  };
  const long = 'a long line\n'.repeat(300);
  const full: Prompt = {
    input: [
      { type: 'document', title: 'Notes', source: { type: 'text', media_type: 'text/plain', data: 'a note' } },
      { type: 'text', text: '/what is [Pasted text #2]?' },
    ],
    pastedContents: { '2': { type: 'text', content: long } },
    attachments: [{ type: 'own_kind', content: 'mine' } as never],
    skipSlashCommands: true,
    timeZone: 'Asia/Tokyo',
  };

  it('sends an edit that changes nothing as the same submission: text, files, pastes, attachments and options', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'Same again');
    await client.submitPrompt({ id, body: full });
    await answers().first().waitFor();
    await button('Edit').click();
    for (const label of ['Notes', 'Pasted text, 301 lines', 'Attachment: own_kind']) await button(`Remove ${label}`).waitFor();
    expect(await prompt().inputValue()).toBe('/what is [Pasted text #2]?');
    await page.getByText('Pasted text, 301 lines').click();
    await page.locator('.pastes').getByText('a long line').waitFor();
    await prompt().press('Enter');
    await page.locator('.composer-note').waitFor({ state: 'detached' });
    const [first, second] = await submitted(id);
    const { promptId: _a, turnId: _b, uuid: _c, traceparent: _d, ...same } = first!;
    expect(second).toMatchObject(same);
    await page.locator('article.draft').waitFor({ state: 'detached' });
  });

  it('removes pieces of a prompt one by one, with what refers to them', async () => {
    const { client } = at();
    const id = await opened(at(), 'One by one');
    await client.submitPrompt({ id, body: full });
    await answers().first().waitFor();
    await button('Edit').click();
    await button('Remove Pasted text, 301 lines').click();
    expect(await prompt().inputValue()).toBe('/what is ?');
    await button('Remove Notes').click();
    await prompt().press('Enter');
    await answers().getByText('/what is ?').waitFor();
    const [, second] = await submitted(id);
    expect(second!.pastedContents).toBeUndefined();
    expect(second).toMatchObject({ original: [{ type: 'text', text: '/what is ?' }], attachments: [{ type: 'own_kind' }], skipSlashCommands: true });
  });

  it('takes a prompt out of the queue to edit it, and keeps what was being written', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'Queued');
    await client.submitPrompt({ id, body: { input: '{{slow 100}}{{long 5000}}' } });
    await client.submitPrompt({ id, body: full });
    await prompt().fill('half a thought');
    await page.getByRole('region', { name: 'Queue' }).getByRole('button', { name: 'Edit' }).click();
    await button('Remove Notes').waitFor();
    await page.getByRole('region', { name: 'Queue' }).waitFor({ state: 'detached' });
    await prompt().press('Enter');
    await becomes(page, `document.querySelector('textarea').value === 'half a thought'`);
    await page.getByRole('region', { name: 'Queue' }).waitFor();
    const [, first, second] = await submitted(id);
    expect(second).toMatchObject({ original: first!.original, pastedContents: first!.pastedContents, timeZone: 'Asia/Tokyo' });
    await button('Withdraw').click();
    await button('Stop').click();
    await page.getByText('Interrupted here').waitFor();
    await prompt().fill('');
  });

  it('keeps what is being written when another view is opened and when the page is loaded again', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'Kept');
    await client.submitPrompt({ id, body: full });
    await answers().first().waitFor();
    await button('Edit').click();
    await button('Remove Notes').waitFor();
    await prompt().fill('another wording');
    await tab(page, 'Timeline').click();
    await tab(page, 'Conversation').click();
    await page.getByText('Editing an earlier prompt').waitFor();
    expect(await prompt().inputValue()).toBe('another wording');
    // The sign-in with a token survives it as well.
    await page.reload();
    await page.getByText('Editing an earlier prompt').waitFor();
    expect(await prompt().inputValue()).toBe('another wording');
    await button('Remove Notes').waitFor();
    await button('Cancel').click();
    expect(await prompt().inputValue()).toBe('');
  });

  it('writes to the shell after a leading exclamation mark, until it is told otherwise', async () => {
    const { page } = at();
    await opened(at(), 'Shell');
    await prompt().pressSequentially('!ls');
    await page.getByText('This server has no shell').waitFor();
    expect(await prompt().inputValue()).toBe('ls');
    await button('To the model instead').click();
    await prompt().press('Enter');
    await answers().getByText('ls').waitFor();
  });

  it('sends the time zone of the browser', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'Zone');
    await prompt().fill('What is the date?');
    await prompt().press('Enter');
    await answers().first().waitFor();
    const zone = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone');
    expect((await submitted(id))[0]!.timeZone).toBe(zone);
    expect((await client.getSession({ id })).status).toBe('idle');
  });

  it('sets options of the model for a conversation, and leaves the others as they are', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'Options');
    await client.updateSession({ id, body: { modelOptions: { tool_choice: { type: 'none' }, thinking: { type: 'disabled' }, stop_sequences: ['END'] } } });
    await chooseInConversation(page, 'Settings…');
    await page.getByLabel('Effort').selectOption('low');
    await page.getByLabel('Thinking').selectOption('default of the model');
    await expectAccessible(page);
    await button('Save').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await client.getSession({ id })).modelOptions).toEqual({ tool_choice: { type: 'none' }, effort: 'low', stop_sequences: ['END'] });
  });

  it('shows what the next prompt goes out with in the composer, and changes it there', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'Visible settings');
    const line = page.getByRole('button', { name: /^Settings of the conversation/ });
    const { model } = await client.getSession({ id });
    expect(await line.innerText()).toContain(model);
    expect(await line.innerText()).toContain('the offline model answers'); // this server has no key
    await line.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Settings of the conversation' });
    await dialog.getByLabel(/^Permission mode/).selectOption('acceptEdits');
    await dialog.getByLabel(/^Instructions/).fill('Answer briefly.');
    await dialog.getByLabel('Effort').selectOption('high');
    // What another has changed meanwhile stays as it is.
    await client.updateSession({ id, body: { model: 'claude-haiku-4-5' } });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await line.getByText('edits files without asking').waitFor();
    for (const part of ['claude-haiku-4-5', 'effort high', 'instructions of its own']) await line.getByText(part, { exact: true }).waitFor();
    const { permissionMode, system, modelOptions } = await client.getSession({ id });
    expect({ permissionMode, system, modelOptions }).toEqual({ permissionMode: 'acceptEdits', system: 'Answer briefly.', modelOptions: { effort: 'high' } });
    await expectAccessible(page);
  });

  it('says at once that a quota is used up, and keeps what was written', async () => {
    const { origin, server } = at();
    const token = (await server.tenant('that has used its quota')).token!;
    const client = createClient({ baseUrl: origin, token });
    await client.updateSettings({ body: { quotas: { user: { promptsPerDay: 0 } } } });
    const { id } = await client.createSession({ body: {} });
    const page = await pageOf(at(), token, `/sessions/${id}`);
    const field = page.getByRole('textbox', { name: 'Prompt' });
    await field.fill('one more');
    await field.press('Enter');
    await page.getByRole('alert').getByText('prompts per day').waitFor();
    expect(await field.inputValue()).toBe('one more');
    await expectAccessible(page);
    await page.context().close();
  });
}
