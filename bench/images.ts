import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { Client } from '../test/support/client.js';
import { ServerProcess } from '../test/support/process.js';
import { loopDelay } from './loop-delay.js';
import { figures, table } from './report.js';

const PROMPTS = 100;
const AT_A_TIME = 8;
const SIZE = { width: 4_000, height: 3_000 };

/** Prompts with one phone photo each: throughput, the server's memory, and the event loop delay. */
export async function benchImages(environment: Readonly<Record<string, string>>, token: string): Promise<void> {
  const photos = await Promise.all(Array.from({ length: 4 }, (_, index) => photo(index)));
  const bodies = photos.map((content) => content.toString('base64'));
  const server = await ServerProcess.start({ LOG_LEVEL: 'silent', ...environment });
  try {
    const client = server.client(token);
    await client.ask(await client.session(), 'warm-up');
    const idle = await memoryMiB(server.pid, 'VmRSS');
    await loopDelay(client); // and start afresh
    const took: number[] = [];
    let helpers = 0;
    const watch = setInterval(() => void helpersMiB(server.pid).then((mib) => (helpers = Math.max(helpers, mib))), 100);
    const began = performance.now();
    let next = 0;
    await Promise.all(
      Array.from({ length: AT_A_TIME }, async () => {
        for (let index = next++; index < PROMPTS; index = next++) took.push(await ask(client, bodies[index % bodies.length]!, index));
      }),
    );
    const seconds = (performance.now() - began) / 1_000;
    clearInterval(watch);
    const { max, p99 } = await loopDelay(client);
    const mib = (photos[0]!.length / 1024 / 1024).toFixed(1);
    table(`${PROMPTS} prompts with a photo of 12 megapixels (${mib} MiB), ${AT_A_TIME} at a time`, [
      ['  prompts a second', (PROMPTS / seconds).toFixed(1), '', ''],
      figures('POST to the end of the turn (ms)', took),
      ['  resident MiB: idle, peak', idle.toFixed(0), (await memoryMiB(server.pid, 'VmHWM')).toFixed(0), ''],
      ['  resident MiB: processes that decode, peak', '', helpers.toFixed(0), ''],
      ['  event loop held up (ms): p99, max', p99.toFixed(0), max.toFixed(0), ''],
    ]);
  } finally {
    await server.stop();
  }
}

async function ask(client: Client, data: string, index: number): Promise<number> {
  const id = await client.session();
  const started = performance.now();
  // Bytes after the end of the image make every file different.
  const own = data.replace(/=*$/, '') + Buffer.from(`photo ${String(index).padStart(5, '0')}`).toString('base64');
  const turn = await client.ask(id, [
    { type: 'text', text: 'What is this?' },
    { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: own } },
  ]);
  if (turn.status !== 'completed') throw new Error(`the turn ended as ${turn.status}: ${JSON.stringify(turn.error)}`);
  return performance.now() - started;
}

/** Soft shapes with sensor noise. Its length is a multiple of three bytes, so that its base64 text can be extended. */
async function photo(seed: number): Promise<Buffer> {
  const shapes = Array.from({ length: 40 }, (_, at) => {
    const random = (factor: number): number => (((seed + 1) * 7919 + at * 104_729) * factor) % 997;
    return `<circle cx="${random(3) * 4}" cy="${random(5) * 3}" r="${100 + random(7) / 2}" fill="hsl(${random(11) % 360} 60% 55%)" opacity="0.7"/>`;
  });
  const scene = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}"><rect width="100%" height="100%" fill="#789"/>${shapes.join('')}</svg>`,
  );
  const grain = await sharp({ create: { ...SIZE, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 30 } } })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const content = await sharp(scene)
    .flatten()
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 90 })
    .toBuffer();
  return Buffer.concat([content, Buffer.alloc((3 - (content.length % 3)) % 3)]);
}

async function helpersMiB(pid: number): Promise<number> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter((child) => child !== '');
  const sizes = await Promise.all(children.map((child) => memoryMiB(Number(child), 'VmRSS').catch(() => 0))); // it may have ended just now
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function memoryMiB(pid: number, which: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${which}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
}
