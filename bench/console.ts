/**
 * The console in a browser: how soon a session of 10,000 messages is there, what scrolling through it costs, and what the page takes and keeps.
 */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@verbatim/client';
import type { CDPSession, Page } from 'playwright-core';
import { signIn, TestBrowser } from '../test/console/support/browser.js';
import { longTranscript } from '../test/console/support/transcripts.js';
import { CHROMIUM_FILE } from '../test/support/programs.js';
import { ServerProcess } from '../test/support/process.js';
import { percentile, type Row, table } from './report.js';

const MESSAGES = 10_000;
const NEWEST = `Answer ${MESSAGES - 1}`;
const ROUNDS = 5;
/** Of a fast flick: most of a view in each painted frame. */
const STEP_PIXELS = 700;
/** Compiled, this file lies in dist/bench. */
const VERBATIM = fileURLToPath(new URL('../../bin/verbatim', import.meta.url));
const BUILT = fileURLToPath(new URL('../console/', import.meta.url));

export async function benchConsole(
  environment: Readonly<Record<string, string>>,
  token: string,
  user: { readonly tenant: string; readonly name: string },
): Promise<void> {
  if (CHROMIUM_FILE === undefined) return void process.stdout.write('\nThe console is left out, since there is no Chromium\n');
  const server = await ServerProcess.start({ LOG_LEVEL: 'silent', ...environment });
  const browser = await TestBrowser.start();
  try {
    const client = createClient({ baseUrl: server.url, token });
    const { id } = await client.importSession({ body: longTranscript(MESSAGES) });
    const bytes = await bytesBeforeFirstView(browser, server.url, token);
    const page = await browser.page(server.url);
    await page.addInitScript(NOTICE_NEWEST);
    await page.goto(await linkFor(user, server.url, environment));
    const link = page.getByRole('link', { name: 'A long one' });
    const newest = page.getByRole('heading', { name: NEWEST });
    const clicks: number[] = [];
    const loads: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await link.waitFor();
      const began = await page.evaluate<number>(`(document.querySelector('a[href$="${id}"]').click(), clickedAt)`);
      await newest.waitFor();
      clicks.push((await paintedAt(page)) - began);
      await page.goto(`${server.url}/console/sessions/${id}`);
      await newest.waitFor();
      loads.push(await paintedAt(page));
      if (round < ROUNDS - 1) await page.goto(`${server.url}/console/`);
    }
    const scrolled = await scrollThrough(page);
    const heap = await heapMb(page);
    const ms = (values: readonly number[]): Row[1] => `${percentile(values, 0.5).toFixed(0)} ms`;
    const marked = (label: string, value: string, mark: string): Row => [label, value, mark, ''];
    table(`The console, a session of ${MESSAGES.toLocaleString('en')} messages (median of ${ROUNDS}; then the mark)`, [
      marked('newest answer painted, since the click in the list', ms(clicks), '≤ 1,000 ms'),
      marked('newest answer painted, since the page was called up', ms(loads), '≤ 1,000 ms'),
      marked('longest task while scrolling through all of it', `${scrolled.longest.toFixed(0)} ms`, '≤ 100 ms'),
      marked('the same, processor time, which other programs do not add to', `${scrolled.longestCpu.toFixed(0)} ms`, '≤ 100 ms'),
      marked(`frames without a row in view, of ${scrolled.frames}`, String(scrolled.blank), '0'),
      marked('JavaScript heap of the page, after a collection', `${heap.toFixed(1)} MB`, '≤ 150 MB'),
      marked('gzip before the first view', `${(bytes / 1024).toFixed(0)} KB`, '≤ 300 KB'),
    ]);
    if (browser.faults.length > 0) process.stdout.write(`  faults: ${browser.faults.join('\n  ')}\n`);
  } finally {
    await browser.stop();
    await server.stop();
  }
}

/** A link that signs in once: the page is then loaded with its cookie, as a person has it. */
async function linkFor(
  { tenant, name }: { readonly tenant: string; readonly name: string },
  url: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const env = { PATH: process.env['PATH'], PORT: new URL(url).port, ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, [VERBATIM, 'sign-in-link', tenant, name], { env });
  // The cookie belongs to the host that was called.
  return stdout.trim().replace(new URL(stdout.trim()).origin, url);
}

/** What is fetched until the list of sessions is there, with files as their gzip copy. */
async function bytesBeforeFirstView(browser: TestBrowser, url: string, token: string): Promise<number> {
  const page = await browser.page(url);
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    const [, file] = /^\/console\/(.*\.\w+)$/.exec(new URL(response.url()).pathname) ?? [];
    const sent = Number(response.headers()['content-length'] ?? 0);
    sizes.push(
      file === undefined
        ? Promise.resolve(sent)
        : stat(`${BUILT}${file}.gz`).then(
            ({ size }) => size,
            () => sent,
          ),
    );
  });
  await signIn(page, url, token);
  await page.getByRole('link', { name: 'A long one' }).waitFor();
  await page.context().close();
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Notes, on the clock of the page, which begins with its navigation, the last click and the frame that paints the newest answer. */
const NOTICE_NEWEST = `
  addEventListener('click', () => (globalThis.clickedAt = performance.now()), true);
  new MutationObserver((_, seen) => {
    if (![...document.querySelectorAll('h2')].some((heading) => heading.textContent === '${NEWEST}')) return;
    seen.disconnect();
    requestAnimationFrame(() => setTimeout(() => (globalThis.newestAt = performance.now())));
  }).observe(document, { subtree: true, childList: true });
`;

async function paintedAt(page: Page): Promise<number> {
  for (;;) {
    const at = await page.evaluate<number | null>('globalThis.newestAt ?? null');
    if (at !== null) return at;
  }
}

interface Scrolled {
  /** In milliseconds. */
  readonly longest: number;
  readonly longestCpu: number;
  readonly frames: number;
  readonly blank: number;
}

/** From the newest message to the first, a step in each frame. A frame is blank when a place in the middle of the view, as it is painted, has no row. */
async function scrollThrough(page: Page): Promise<Scrolled> {
  const tracing = await Tracing.start(page);
  const scrolled = await page.evaluate<Omit<Scrolled, 'longestCpu'>>(`new Promise((resolve) => {
    const log = document.querySelector('[role=log]');
    let longest = 0, frames = 0, blank = 0;
    const tasks = new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (longest = Math.max(longest, duration))));
    tasks.observe({ type: 'longtask' });
    performance.mark('${FROM}');
    // Before the first message has been read, the top is not the beginning.
    const isFirst = () => log.scrollTop <= 0 && log.querySelector('.row[data-index="0"]')?.textContent.includes('Question 0');
    const step = () => {
      if (isFirst()) return performance.mark('${TO}'), setTimeout(() => (tasks.disconnect(), resolve({ longest, frames, blank })), 200);
      log.scrollTop -= ${STEP_PIXELS};
      const box = log.getBoundingClientRect();
      const isRow = (part) => document.elementFromPoint(box.left + box.width * 0.3, box.top + box.height * part)?.closest('.row') != null;
      frames += 1;
      if (log.scrollTop > 0 && ![0.1, 0.5, 0.9].every(isRow)) blank += 1;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`);
  return { ...scrolled, longestCpu: await tracing.longestTask(FROM, TO) };
}

const FROM = 'scrolling began';
const TO = 'scrolling ended';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  /** Microseconds of processor time. */
  readonly tdur?: number;
}

/** What the browser notes about each task of the page. */
class Tracing {
  readonly #events: TraceEvent[] = [];

  private constructor(private readonly session: CDPSession) {
    session.on('Tracing.dataCollected', ({ value }) => void this.#events.push(...(value as unknown as TraceEvent[])));
  }

  static async start(page: Page): Promise<Tracing> {
    const tracing = new Tracing(await page.context().newCDPSession(page));
    await tracing.session.send('Tracing.start', { transferMode: 'ReportEvents', categories: 'toplevel,blink.user_timing' });
    return tracing;
  }

  /** Milliseconds of processor time of the longest task between two marks of the page. */
  async longestTask(from: string, to: string): Promise<number> {
    const complete = new Promise((resolve) => this.session.once('Tracing.tracingComplete', resolve));
    await this.session.send('Tracing.end');
    await complete;
    const [begin, end] = [from, to].map((mark) => this.#events.find(({ name }) => name === mark)!);
    const isOfPage = ({ pid, tid, ts }: TraceEvent): boolean => pid === begin!.pid && tid === begin!.tid && ts >= begin!.ts && ts <= end!.ts;
    return this.#events.filter(isOfPage).reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1_000), 0);
  }
}

async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN) / 1_000_000;
}
