import { CallRules } from './call-rules.js';
import { CloseLostCalls } from './close-lost-calls.js';
import { DecideCalls } from './decide-calls.js';
import { OfferTools } from './offer-tools.js';
import { FinishTurn } from './finish-turn.js';
import { HelperCalls } from './helper-calls.js';
import { HelperTasks } from './helper-tasks.js';
import { RunCall } from './run-call.js';
import { RunCalls } from './run-calls.js';
import { ToolLoop } from './tool-loop.js';

/** Providers of the tool loop. */
export const TOOL_STEPS = [CallRules, OfferTools, DecideCalls, HelperTasks, HelperCalls, RunCall, RunCalls, CloseLostCalls, FinishTurn, ToolLoop];
