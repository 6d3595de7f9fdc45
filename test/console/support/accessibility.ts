import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/**
 * The violations that axe finds on the page as it is, one line for each rule; `rules`: only of these. The script stays in the page, and what passes is not
 * described: both take longer than the checks.
 */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (await page.evaluate<boolean>(`typeof globalThis.axe === 'undefined'`)) await page.evaluate(`${AXE}; undefined`);
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}) };
  const violations = await page.evaluate<readonly Violation[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
