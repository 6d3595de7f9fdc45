import { expect, it } from '@jest/globals';
import { ask, type Console, expectAccessible, choose } from './support/console.js';
import { visit } from './support/browser.js';

/** Prompts by time, and how long turns took. */
export function scheduleTests(at: () => Console): void {
  it('schedules a prompt, pauses and resumes it, and deletes it', async () => {
    const { client, page } = at();
    const { id } = await client.createSession({ body: { title: 'By the clock' } });
    await visit(page, '/');
    await choose(page, 'Actions of By the clock', 'Schedules…');
    await page.getByText('Nothing is scheduled').waitFor();
    // The form is there when it is asked for.
    expect(await page.getByRole('textbox', { name: 'Text of its prompts' }).count()).toBe(0);
    await page.getByRole('button', { name: 'New schedule' }).click();
    await page.getByRole('textbox', { name: 'Text of its prompts' }).fill('What is new <b>today</b>?');
    await page.getByRole('combobox', { name: 'When' }).selectOption('by a cron expression');
    await page.getByRole('textbox', { name: 'Cron expression' }).fill('every day');
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText('must be five fields').waitFor();
    await page.getByRole('textbox', { name: 'Cron expression' }).fill('30 8 * * *');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tokyo');
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    const list = page.getByRole('list', { name: 'Schedules of this conversation' });
    await list.getByText(/^every day at 08:30, Tokyo; next \w{3} 08:30/).waitFor();
    await list.getByText('What is new <b>today</b>?').waitFor();
    await expectAccessible(page);
    const schedules = async () => (await client.listSchedules({ id })).data;
    expect(await schedules()).toMatchObject([{ cron: '30 8 * * *', timeZone: 'Asia/Tokyo', whenBusy: 'skip', paused: false }]);
    await list.getByRole('button', { name: /^Pause / }).click();
    await list.getByRole('button', { name: /^Resume / }).waitFor();
    expect(await schedules()).toMatchObject([{ paused: true, nextRunAt: null }]);
    await list.getByRole('button', { name: /^Resume / }).click();
    await list.getByRole('button', { name: /^Pause / }).waitFor();
    // It is changed with what it had before.
    await list.getByRole('button', { name: /^Edit / }).click();
    const form = page.getByRole('form', { name: 'Schedule' });
    expect(await form.getByRole('combobox', { name: 'When' }).inputValue()).toBe('daily');
    expect(await form.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Asia/Tokyo');
    await expectAccessible(page);
    await form.getByLabel('Time', { exact: true }).fill('07:15');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await list.getByText(/^every day at 07:15, Tokyo; next \w{3} 07:15/).waitFor();
    expect(await schedules()).toMatchObject([{ cron: '15 7 * * *', timeZone: 'Asia/Tokyo', whenBusy: 'skip', input: 'What is new <b>today</b>?' }]);
    await list.getByRole('button', { name: /^Delete / }).click();
    await list.getByRole('button', { name: /^Really delete / }).click();
    await page.getByText('Nothing is scheduled').waitFor();
    expect(await schedules()).toEqual([]);
    // Days and a time, for those who write no cron.
    await page.getByRole('button', { name: 'New schedule' }).click();
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tokyo');
    await page.getByRole('textbox', { name: 'Text of its prompts' }).fill('Sum up the week.');
    await page.getByRole('combobox', { name: 'When' }).selectOption('every week');
    await page.getByRole('combobox', { name: 'Day' }).selectOption('Friday');
    await page.getByLabel('Time', { exact: true }).fill('16:05');
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await list.getByText(/^Fridays at 16:05, Tokyo/).waitFor();
    expect(await schedules()).toMatchObject([{ cron: '5 16 * * 5', timeZone: 'Asia/Tokyo' }]);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
  });

  it('says at the end of a turn how long it took', async () => {
    const { client, page } = at();
    const { id } = await client.createSession({ body: { title: 'Timed' } });
    await ask(client, id, '{{say the first}}');
    await visit(page, `/sessions/${id}`);
    await page.getByText(/^The turn took [\d.]+ (ms|s|min)/).waitFor();
    await ask(client, id, '{{say the second}}');
    await page.locator('article.answer', { hasText: 'the second' }).waitFor();
    await page
      .locator('.row', { hasText: 'the second' })
      .getByText(/^The turn took /)
      .waitFor();
    expect(await page.getByText(/^The turn took /).count()).toBe(2);
  });
}
