import { citus } from './citus.js';
import { ha } from './ha.js';
import { pooler, replica } from './postgres.js';
import { cluster, sentinel } from './redis.js';
import { restore } from './restore.js';
import type { Rig } from './rig.js';
import { s3 } from './s3.js';

export const RIGS: readonly Rig[] = [ha, pooler, sentinel, cluster, replica, s3, restore, citus];
