import { expect, it } from '@jest/globals';
import { createClient } from '@verbatim/client';
import { startTestServer } from '../support/server.js';
import { call } from '../support/tool-server.js';
import { ask, type Console, expectAccessibleEverywhere, pageOf } from './support/console.js';

const NOTES = '/memories/notes.md';

/** What the model keeps for a person. */
export function memoryTests(at: () => Console): void {
  it('shows what is remembered of the person, makes a file what it was, and erases all of it', async () => {
    // With the tools of the product: the server of the other tests has scripted ones.
    const server = await startTestServer();
    const { baseUrl, token } = server.client;
    const client = createClient({ baseUrl, token: token! });
    await client.updateSettings({ body: { memory: true } });
    const page = await pageOf({ ...at(), origin: baseUrl }, token!, '/tenant/memory');
    const card = page.getByRole('region', { name: 'What is remembered of you' });
    await card.getByText('Nothing is remembered').waitFor();

    const { id } = await client.createSession({ body: {} });
    await ask(client, id, call('memory', { command: 'create', path: NOTES, file_text: 'Likes marmalade.' }));
    await ask(client, id, call('memory', { command: 'str_replace', path: NOTES, old_str: 'marmalade', new_str: 'honey <b>bold</b>' }));
    await page.reload();
    await card.getByRole('button', { name: `Open ${NOTES}` }).click();
    await card.getByText('Likes honey <b>bold</b>.').waitFor();
    await expectAccessibleEverywhere(page);
    const versions = card.getByRole('list', { name: `Versions of ${NOTES}` });
    await versions.getByRole('button', { name: 'Show version 1' }).click();
    await card.getByText('Likes marmalade.').waitFor();
    await versions.getByRole('button', { name: 'Use version 1 again' }).click();
    await versions.getByText('Version 3').waitFor();
    await card.getByText('Likes marmalade.').waitFor();
    const { userId } = await client.getMe({});
    expect((await client.getMemoryContent({ userId, path: NOTES })).content).toBe('Likes marmalade.');

    await card.getByRole('link', { name: 'in a conversation' }).first().waitFor();
    // What the model has deleted can be read, and used again.
    await ask(client, id, call('memory', { command: 'delete', path: NOTES }));
    await page.reload();
    const deleted = card.getByRole('region', { name: 'Deleted from the memory' });
    await deleted.getByRole('button', { name: `Open ${NOTES}` }).click();
    await deleted.getByText('Likes marmalade.').waitFor();
    await expectAccessibleEverywhere(page);
    await deleted.getByRole('button', { name: `Use ${NOTES} again` }).click();
    await deleted.waitFor({ state: 'detached' });
    await card.getByRole('button', { name: `Open ${NOTES}` }).waitFor();
    expect((await client.listMemory({ userId, deleted: true })).deleted).toEqual([]);
    await card.getByRole('button', { name: 'Erase all that is remembered of you' }).click();
    await card.getByRole('button', { name: 'Really erase all that is remembered of you' }).click();
    await card.getByText('Nothing is remembered').waitFor();
    expect((await client.listMemory({ userId })).data).toEqual([]);
    await page.context().close();
    await server.stop();
  });
}
