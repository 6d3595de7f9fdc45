/**
 * Interfaces to everything outside of the process's own rules. Abstract classes, so that they serve as injection tokens; the module of a feature, or
 * `app.module.ts`, binds them to adapters.
 */
export * from './system.js';
export * from './store.js';
export * from './cold-sessions.js';
export * from './schedules.js';
export * from './search.js';
export * from './work.js';
export * from './nodes.js';
export * from './live.js';
export * from './model.js';
export * from './helpers.js';
export * from './agents.js';
export * from './hooks.js';
export * from './accounts.js';
export * from './people.js';
export * from './sign-ins.js';
export * from './credentials.js';
export * from './links.js';
export * from './activity.js';
export * from './memories.js';
export * from './pins.js';
export * from './compute-pool.js';
export * from './telemetry.js';
export * from './tools.js';
export * from './blobs.js';
export * from './due-erasures.js';
export * from './session-folders.js';
export * from './session-files.js';
export * from './images.js';
export * from './skills.js';
export * from './tenants.js';
export * from './attachments.js';
export * from './transparency-log.js';
export * from './anchors.js';
export * from './encryption.js';
export * from './upstream-keys.js';
export * from './thread-answers.js';
export * from './usage.js';
