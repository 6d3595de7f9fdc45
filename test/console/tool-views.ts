import { expect, it } from '@jest/globals';
import { REJECTED } from '../../packages/protocol/message/wire-texts.js';
import { call } from '../support/tool-server.js';
import { becomes, type Console, expectAccessibleEverywhere, opened } from './support/console.js';
import { visit } from './support/browser.js';
import { Lines } from './support/transcripts.js';

interface Called {
  readonly name: string;
  readonly input: unknown;
  readonly content?: unknown;
  readonly isError?: boolean;
}

/** A conversation of these calls with their results, and a last answer. */
function transcript(title: string, calls: readonly Called[], last: readonly unknown[]): string {
  const lines = new Lines(title).user('please');
  calls.forEach(({ name, input, content = 'ok', isError }, index) => {
    lines.assistant([{ type: 'tool_use', id: `toolu_${index}`, name, input }]);
    lines.user([{ type: 'tool_result', tool_use_id: `toolu_${index}`, content, ...(isError ? { is_error: true } : {}) }]);
  });
  return lines.assistant(last).toString();
}

const ESC = '\u001b[';

/** Calls of well-known tools, code, sources and pictures of imported conversations. */
export function toolViewTests(at: () => Console): void {
  /** Shows the conversation with every call unfolded. */
  const shown = async (body: string, end: string): Promise<void> => {
    const { client, page } = at();
    const { id } = await client.importSession({ body });
    await visit(page, `/sessions/${id}`);
    await page.getByRole('log').getByText(end).waitFor();
    await unfold();
    await page.evaluate(`document.querySelector('[role=log]').scrollTop = 0`);
    await unfold();
  };
  /** Rows that are not in view are not there. */
  const unfold = async (): Promise<void> => {
    const folded = at().page.locator('.tool-head[aria-expanded="false"]');
    while ((await folded.count()) > 0) await folded.first().click();
  };
  const command = () => at().page.getByLabel('Command', { exact: true });
  const change = () => at().page.getByRole('group', { name: 'Change 1' });

  it('shows what well-known tools were asked to do, their output with its colours, and that a denied call did not fail', async () => {
    const { page } = at();
    const todos = [
      { content: 'Find it', status: 'completed', activeForm: 'Finding it' },
      { content: 'Mend it', status: 'in_progress', activeForm: 'Mending it' },
    ];
    const calls: readonly Called[] = [
      { name: 'TodoWrite', input: { todos } },
      { name: 'Bash', input: { command: 'npm test && echo "$HOME"', description: 'Runs the tests' }, content: `${ESC}31mFAIL${ESC}0m of ${ESC}1mone${ESC}0m` },
      { name: 'Edit', input: { file_path: 'src/a.ts', old_string: 'one\ntwo\n', new_string: 'one\nthree\n' } },
      { name: 'ExitPlanMode', input: { plan: '1. Look\n2. **Mend**' } },
      { name: 'Bash', input: { command: 'rm -r .' }, content: REJECTED, isError: true },
      { name: 'Bash', input: { command: 'ls', unknown: [1] } },
    ];
    await shown(transcript('Views', calls, [{ type: 'text', text: 'the end' }]), 'the end');
    await page.getByRole('listitem').filter({ hasText: 'Mend it' }).waitFor();
    await page.locator('.ansi-red-fg', { hasText: 'FAIL' }).waitFor();
    await command().first().locator('.hljs-string').first().waitFor();
    await change().waitFor();
    expect(await change().locator('del').innerText()).toBe('- two');
    expect(await change().locator('ins').innerText()).toBe('+ three');
    await page.locator('strong', { hasText: 'Mend' }).waitFor();
    await page.getByText('denied', { exact: true }).waitFor();
    // Nothing of an input is hidden: one with a member that its view does not know is JSON.
    await page.getByText('"unknown"').waitFor();
    await expectAccessibleEverywhere(page);
  });

  it('shows code with the colours of its language, sources with their place, and pictures that are in the message', async () => {
    const { page } = at();
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const cited = {
      ...{ type: 'page_location', cited_text: 'as it says', document_index: 0, document_title: 'Manual', start_page_number: 3, end_page_number: 5 },
    };
    const web = { type: 'web_search_result_location', cited_text: 'so', url: 'javascript:alert(1)', title: 'Elsewhere', encrypted_index: 'e' };
    await shown(
      transcript(
        'Code',
        [{ name: 'Shot', input: {}, content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }] }],
        [
          { type: 'text', text: '```ts\nconst x: number = 1;\n```\n\n```nolanguage\nplain <b>\n```\n\nthe code' },
          { type: 'text', text: 'cited here', citations: [cited, web] },
        ],
      ),
      'cited here',
    );
    await page.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
    await page.getByText('plain <b>', { exact: true }).waitFor();
    await page.getByRole('list', { name: 'Sources' }).getByText('pages 3 to 4').waitFor();
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    await page.locator('.picture img').waitFor();
    await expectAccessibleEverywhere(page);
  });

  it('shows calls of other shapes, floods of colours, long changes and data that is no picture, and stays usable', async () => {
    const { page } = at();
    const lines = (text: string): string => Array.from({ length: 3_000 }, (_, index) => `${text} ${index % 7} ${index}`).join('\n');
    const calls: readonly Called[] = [
      { name: 'Bash', input: { command: 5 }, content: `${ESC}31m${ESC}32mx`.repeat(30_000) },
      { name: 'Edit', input: { file_path: 'a.ts', edits: 'none' } },
      { name: 'MultiEdit', input: { file_path: 'a.ts', edits: [{ old_string: lines('a'), new_string: lines('b') }] } },
      { name: 'TodoWrite', input: { todos: [null, { content: {}, status: 1 }] } },
      { name: 'Write', input: { file_path: `a.${'x'.repeat(5_000)}`, content: 'y'.repeat(200_000) } },
      { name: 'constructor', input: { a: 1 } },
      { name: 'Shot', input: {}, content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'bm90IGEgcGljdHVyZQ==' } }] },
    ];
    await shown(transcript('Odd', calls, [{ type: 'text', text: 'still here' }]), 'still here');
    await change()
      .getByRole('button', { name: /Show more/ })
      .waitFor();
    await page
      .getByRole('button', { name: 'Newest' })
      .click()
      .catch(() => undefined);
    await page.getByRole('textbox', { name: 'Prompt' }).fill('alive');
    await becomes(page, `document.querySelector('textarea').value === 'alive'`);
    await page.getByRole('textbox', { name: 'Prompt' }).fill('');
  });

  it('approves a call with another input than the model wrote', async () => {
    const { page, client, server } = at();
    const id = await opened(at(), 'Another input');
    await client.submitPrompt({ id, body: { input: call('Work', { label: 'as written' }) } });
    await page.getByRole('button', { name: 'Edit the input' }).click();
    // A rule is about what the model wrote: it is not stored, and nothing approved by it, while the input is edited.
    expect(await page.getByRole('button', { name: 'Always allow…' }).count()).toBe(0);
    await page.getByRole('textbox', { name: 'label' }).fill('in its field, with "quotes"');
    await expectAccessibleEverywhere(page);
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const input = page.getByRole('textbox', { name: 'Input of the call, as JSON' });
    expect(JSON.parse(await input.inputValue())).toEqual({ label: 'in its field, with "quotes"' });
    await input.fill('{"label":');
    expect(await page.getByRole('button', { name: 'Approve with this input' }).isDisabled()).toBe(true);
    await input.fill('{"label":"as edited"}');
    await page.getByRole('button', { name: 'Approve with this input' }).click();
    await page.getByText('done', { exact: true }).waitFor();
    expect(server.tools.runs.at(-1)?.input).toEqual({ label: 'as edited' });
  });
}
