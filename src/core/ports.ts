/**
 * Interfaces to everything outside of the process's own rules. Abstract classes, so that they serve as injection tokens; `app.module.ts` alone binds them to
 * adapters.
 */
export * from './ports/system.js';
export * from './ports/store.js';
export * from './ports/search.js';
export * from './ports/work.js';
export * from './ports/live.js';
export * from './ports/model.js';
export * from './ports/hooks.js';
export * from './ports/accounts.js';
export * from './ports/people.js';
export * from './ports/sign-ins.js';
export * from './ports/credentials.js';
export * from './ports/links.js';
export * from './ports/compute-pool.js';
export * from './ports/telemetry.js';
export * from './ports/tools.js';
export * from './ports/blobs.js';
export * from './ports/due-erasures.js';
export * from './ports/session-folders.js';
export * from './ports/images.js';
export * from './ports/skills.js';
export * from './ports/tenants.js';
export * from './ports/attachments.js';
export * from './ports/transparency-log.js';
export * from './ports/anchors.js';
export * from './ports/sealing.js';
export * from './ports/usage.js';
