import { compact } from './compact.js';
import { config } from './config.js';
import { context } from './context.js';
import { cost } from './cost.js';
import { doctor } from './doctor.js';
import { exit } from './exit.js';
import { help } from './help.js';
import type { SlashCommand } from './slash-command.js';
import { status } from './status.js';
import { ultraplan } from './ultraplan.js';

/** The built-in commands in the order of the list. A new one is a file in this directory and an entry here. */
export const BUILT_IN: readonly SlashCommand[] = [help, status, config, doctor, cost, context, compact, ultraplan, exit];
