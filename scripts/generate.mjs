// `npm run generate`; also runs after `npm ci`, so that editors, `nest build` and `tsc` find the client.
import { generateClient } from './prisma-client.mjs';

await generateClient();
