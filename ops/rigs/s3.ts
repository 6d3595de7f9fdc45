import sharp from 'sharp';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.js';
import { FaultProxy } from '../../test/support/fault-proxy.js';
import type { Chance } from '../../test/support/random.js';
import { CREDENTIALS, storeAt } from '../../test/support/s3-server.js';
import { answerError, ScriptedS3 } from '../../test/support/scripted-s3.js';
import type { Rig } from './rig.js';

/** So long the storage is slow, full or gone. */
const AWAY_MS = 4_000;
const LATE_MS = 400;
/** Pixels of a side. */
const SIDE = 12;

export const s3: Rig = {
  name: 's3',
  about: 'prompts with images, whose bytes are in object storage, which is slow, full, and gone',
  programs: [],
  async start() {
    const storage = await ScriptedS3.start();
    const proxy = await FaultProxy.start(storage.url);
    const database = await startEmbeddedPostgres({ database: 'rig' });
    const settings = { ...CREDENTIALS, BLOB_STORE: storeAt(`http://127.0.0.1:${proxy.port}`), BLOB_STORE_TIMEOUT_MS: '5000' };
    return {
      servers: [settings, settings],
      databaseUrl: database.url,
      input: image,
      faults: [
        {
          name: 'the storage is slow',
          isShort: true,
          inject: async () => {
            proxy.delay(LATE_MS);
            await pause(AWAY_MS);
          },
          repair: async () => void proxy.delay(0),
        },
        {
          name: 'the storage is full',
          isShort: true,
          inject: async () => {
            storage.script = ({ method }, response) => (method === 'PUT' ? answerError(response, 507, 'InsufficientStorage') : null);
            await pause(AWAY_MS);
            storage.script = () => null;
          },
        },
        {
          name: 'the storage is gone',
          isShort: true,
          inject: async () => {
            await proxy.refuse();
            await pause(AWAY_MS);
            await proxy.listen();
          },
        },
      ],
      stop: async () => {
        await proxy.close();
        await storage.stop();
        await database.stop();
      },
    };
  },
};

/** One that no other prompt has. */
async function image(chance: Chance): Promise<unknown> {
  const pixels = Buffer.from(Array.from({ length: SIDE * SIDE * 3 }, () => chance.between(0, 255)));
  const png = await sharp(pixels, { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .png()
    .toBuffer();
  const data = png.toString('base64');
  return [
    { type: 'text', text: 'what is this' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
  ];
}
