/**
 * Cost of turning a conversation into a request, next to copying the same payload and next to other libraries, in one run: compare ratios.
 * bench/peers/run.mjs says what the other libraries leave out.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Message } from '../packages/protocol/message/message.js';
import { buildPayload } from '../packages/normalizer/build-payload.js';
import { NormalizationCache } from '../packages/normalizer/normalization-cache.js';
import type { MemoryFigures } from './memory.js';
import { MARKS, marked } from './marks.js';
import { percentile, type Row, table } from './report.js';
import { conversation, inputOf, measureNormalization, sha256 } from './normalize-session.js';

const TURNS = 500;
const RUNS = 15;

export function benchNormalize(): void {
  const messages = stored(TURNS);
  besideOthers(messages);
  oneMoreTurn();
  growth();
  memory();
}

/** As read from a store: every text is a separate string. */
const stored = (turns: number): readonly Message[] => JSON.parse(JSON.stringify(conversation(turns))) as readonly Message[];

function besideOthers(messages: readonly Message[]): void {
  const ours = measureNormalization(messages, RUNS);
  const row = (label: string, milliseconds: number, makes: string, mark = ''): Row => [
    label,
    milliseconds.toFixed(1),
    `${(milliseconds / ours.structuredClone).toFixed(2)} x`,
    makes,
    mark,
  ];
  table(`A payload of ${ours.messages} messages, ${(ours.bytes / 1e6).toFixed(1)} MB (ms; times structuredClone of the payload; what it makes)`, [
    row('structuredClone', ours.structuredClone, 'value'),
    row('JSON.stringify', ours.stringify, 'text'),
    row('passes', ours.normalize, 'value'),
    row('passes, with the trace', ours.normalizeWithTrace, 'value'),
    row('passes, body and digests', ours.buildPayload, 'text', marked(MARKS.wholePayload)),
    row('passes, body, digests and trace', ours.apiViewWithTrace, 'text'),
    ...peers(messages).map(({ name, milliseconds, makes }) => row(name, milliseconds, makes)),
  ]);
}

interface PeerFigure {
  readonly name: string;
  readonly milliseconds: number;
  readonly makes: 'text' | 'value';
}

/** The other libraries are an optional package; without it, or when it fails, the rest is still measured. */
function peers(messages: readonly Message[]): readonly PeerFigure[] {
  const folder = fileURLToPath(new URL('../../bench/peers', import.meta.url));
  if (!existsSync(join(folder, 'node_modules'))) {
    process.stdout.write('\nOther libraries are not installed: npm ci --prefix bench/peers\n');
    return [];
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'run.mjs')], {
    input: JSON.stringify(messages),
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  if (status === 0) return JSON.parse(stdout) as readonly PeerFigure[];
  process.stdout.write(
    `\nOther libraries could not be measured: ${
      stderr
        .trim()
        .split('\n')
        .findLast((line) => line.includes('Error')) ?? `exit code ${status}`
    }\n`,
  );
  return [];
}

/** The first request of a session in this process, and the next one, with one more turn. */
function oneMoreTurn(): void {
  const longer = stored(TURNS + 1);
  const shorter = longer.slice(0, -4);
  const [first, second, whole]: [number[], number[], number[]] = [[], [], []];
  const timed = <T>(times: number[], work: () => T): T => {
    const start = performance.now();
    const result = work();
    times.push(performance.now() - start);
    return result;
  };
  for (let run = 0; run < RUNS + 5; run += 1) {
    const remembered = new NormalizationCache();
    timed(first, () => buildPayload(inputOf(shorter), sha256, false, remembered));
    const { payload } = timed(second, () => buildPayload(inputOf(longer), sha256, false, remembered));
    const texts = payload.messages.map((message) => JSON.stringify(message));
    timed(whole, () => sha256(`[${texts.join(',')}]`));
  }
  const [one, other, least] = [first, second, whole].map((times) => percentile(times.slice(5), 0.5)) as [number, number, number];
  table('The next request of a session, one turn longer (ms; ratio to the first)', [
    ['first', one.toFixed(1), '1 x', ''],
    ['next', other.toFixed(1), `${(other / one).toFixed(2)} x`, ''],
    ['of which joining and hashing the body', least.toFixed(1), `${(least / one).toFixed(2)} x`, ''],
  ]);
}

function growth(): void {
  const rows = [250, 2_500, 25_000].map((turns): Row => {
    const figures = measureNormalization(stored(turns), turns > 10_000 ? 3 : RUNS);
    const each = (milliseconds: number): string => ((milliseconds * 1_000) / figures.messages).toFixed(2);
    return [
      `${figures.messages.toLocaleString('en')} messages`,
      each(figures.normalizeWithTrace),
      each(figures.apiViewWithTrace),
      each(figures.structuredClone),
    ];
  });
  table('Microseconds a message: passes with the trace; with body and digests; structuredClone of the payload', rows);
}

function memory(): void {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const rows = [TURNS, TURNS * 10].map((turns): Row => {
      const file = join(folder, 'transcript.json');
      writeFileSync(file, JSON.stringify(conversation(turns)));
      const program = fileURLToPath(new URL('./memory.js', import.meta.url));
      const { input, live, resident } = JSON.parse(execFileSync(process.execPath, ['--expose-gc', program, file], { encoding: 'utf8' })) as MemoryFigures;
      return [`${(input / 1e6).toFixed(1)} MB`, `${(live / input).toFixed(2)} x`, `${(resident / input).toFixed(2)} x`, ''];
    });
    table('Peak memory above the conversation (times its size as JSON: in use; resident, with garbage)', rows);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
