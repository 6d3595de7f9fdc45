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

/** Commands that ship with the server, in the order they are listed; a new one is a file beside this one and a name here. */
export const BUILT_IN: readonly SlashCommand[] = [help, status, config, doctor, cost, context, compact, ultraplan, exit];
