import { ha } from './ha.js';
import type { Rig } from './rig.js';

export const RIGS: readonly Rig[] = [ha];
