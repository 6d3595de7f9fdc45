import { CALLS } from './calls.js';
import type { Case } from './case.js';
import { OTHER_PRODUCTS } from './other-products.js';
import { THOUGHTS } from './thoughts.js';
import { TURNS } from './turns.js';

export const CASES: readonly Case[] = [...CALLS, ...TURNS, ...THOUGHTS, ...OTHER_PRODUCTS];
