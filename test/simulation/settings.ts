import { readSettings } from '../../src/platform/config/env.js';

/** Short times, so that a run meets every timeout. */
export const SIMULATED_SETTINGS = {
  ...readSettings({
    JOB_LOCK_MS: '6000',
    STALLED_AFTER_MS: '15000',
    TOOL_RESULT_TIMEOUT_MS: '60000',
    MODEL_RETRY_MAX_MS: '5000',
    OUTBOX_POLL_MS: '2000',
    WORKER_CONCURRENCY: '8',
    TOOL_STOP_GRACE_MS: '1000',
    SHUTDOWN_GRACE_MS: '4000',
    SESSION_CACHE_IDLE_MS: '60000',
    STREAM_HEARTBEAT_MS: '5000',
  }),
  ROLE: 'all' as const,
};
