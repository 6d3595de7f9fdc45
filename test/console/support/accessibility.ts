import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly any: readonly { readonly data: { readonly messageKey?: string } | null }[] }[];
}

interface Found {
  readonly violations: readonly Violation[];
  /** What axe leaves to people to decide. */
  readonly incomplete: readonly Violation[];
}

/**
 * The violations that axe finds on the page when it is loaded, one line for each rule, and texts in the colour of their background, of which axe is not sure; `rules`:
 * only of these. The script stays in the page, and what passes is not described: both take longer than the checks.
 */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  if (await page.evaluate<boolean>(`typeof globalThis.axe === 'undefined'`)) await page.evaluate(`${AXE}; undefined`);
  const options = { resultTypes: ['violations', 'incomplete'], ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}) };
  const { violations, incomplete } = await page.evaluate<Found>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations, incomplete }) => ({ violations, incomplete }))`,
  );
  const unseen = incomplete
    .map(({ id, nodes }) => ({ id: `${id}, the same colour`, nodes: nodes.filter(({ any }) => any.some(({ data }) => data?.messageKey === 'equalRatio')) }))
    .filter(({ nodes }) => nodes.length > 0);
  return [...violations, ...unseen].map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** What a phone cannot show: elements that reach beyond its width and that nothing around them scrolls or cuts off, and a header of two lines. */
export const BEYOND_THE_SCREEN = `(() => {
  const isHeld = (element) => {
    for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) if (getComputedStyle(at).overflowX !== 'visible') return true;
    return false;
  };
  const all = [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility() && !element.closest('.skip'));
  const wide = all.filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !isHeld(element));
  const scrolled = all.filter((element) => element.matches('.page, .view, .transcript, .top, .session-head') && element.scrollWidth > element.clientWidth + 1);
  const back = document.querySelector('.session-head .only-phone');
  return [
    ...[...wide, ...scrolled].map((element) => element.outerHTML.slice(0, 120)),
    ...(back && back.getBoundingClientRect().left > 40 ? ['the way back is not at the edge'] : []),
    ...[...document.querySelectorAll('.top a, .top button, .session-head h1')].filter((one) => one.getClientRects()[0]?.height > 60).map((one) => one.textContent),
  ];
})()`;
