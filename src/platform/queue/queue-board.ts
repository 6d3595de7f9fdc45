import type { IncomingMessage, ServerResponse } from 'node:http';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Queue } from 'bullmq';
import type { BullJobQueue } from './bull-job-queue.js';
import { type DirectTurn, DirectTurnsAdapter } from './direct-turns-adapter.js';

type Handler = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * A page that shows operators the jobs of the queue, and the turns that run without it, to be mounted at `path`. Read-only: the log decides what work remains, so a removed job would be created again,
 * and a repeated one would find nothing to do. Jobs contain ids only.
 */
export function queueBoard(jobs: BullJobQueue, directTurns: (limit: number) => Promise<readonly DirectTurn[]>, path: string): Handler {
  let open: { readonly queue: unknown; readonly handle: Handler } | null = null;
  const handler = async (): Promise<Handler> => {
    const queue = await jobs.inner();
    if (open?.queue === queue) return open.handle;
    const server = new ExpressAdapter().setBasePath(path);
    createBullBoard({
      queues: [new BullMQAdapter(queue as unknown as Queue, { readOnlyMode: true }), new DirectTurnsAdapter(queue as unknown as Queue, directTurns)],
      serverAdapter: server,
      options: { uiConfig: { boardTitle: 'Verbatim: turns' } },
    });
    open = { queue, handle: server.getRouter() };
    return open.handle;
  };
  return (request, response, next) => {
    handler().then((handle) => handle(request, response, next), next);
  };
}
