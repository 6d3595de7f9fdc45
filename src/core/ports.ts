/**
 * What the core's callers need from outside. Abstract classes, so that the application can use them as injection tokens;
 * each has exactly one folder of adapters, and `app.module.ts` alone binds them.
 */
export * from './ports/system.js';
export * from './ports/store.js';
export * from './ports/work.js';
export * from './ports/live.js';
export * from './ports/model.js';
export * from './ports/hooks.js';
export * from './ports/accounts.js';
export * from './ports/compute-pool.js';
export * from './ports/telemetry.js';
export * from './ports/tools.js';
export * from './ports/blobs.js';
export * from './ports/images.js';
export * from './ports/skills.js';
export * from './ports/tenants.js';
export * from './ports/attachments.js';
