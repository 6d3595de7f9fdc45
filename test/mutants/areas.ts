import { directTurns } from './direct-turns.js';
import { executor } from './executor.js';
import type { Area } from './mutant.js';
import { files } from './files.js';
import { helpers } from './helpers.js';
import { payloads } from './payloads.js';
import { relays } from './relay.js';
import { rules } from './rules.js';
import { sessions } from './sessions.js';
import { sql } from './sql.js';
import { streams } from './streams.js';
import { turns } from './turns.js';

/** All mutants. */
export const AREAS: readonly Area[] = [
  { name: 'direct turns', mutants: directTurns },
  { name: 'executor', mutants: executor },
  { name: 'folded sessions', mutants: sessions },
  { name: 'turns', mutants: turns },
  { name: 'relay and sweeps', mutants: relays },
  { name: 'streams', mutants: streams },
  { name: 'rules', mutants: rules },
  { name: 'helpers', mutants: helpers },
  { name: 'files', mutants: files },
  { name: 'payloads', mutants: payloads },
  { name: 'database', mutants: sql },
];
