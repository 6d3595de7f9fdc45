import { mutantsOf } from './mutant.js';

const rules = mutantsOf('src/engine/turn/tools/call-rules.ts');
const offer = mutantsOf('src/engine/turn/tools/offer-tools.ts');
const calls = mutantsOf('src/engine/turn/tools/helper-calls.ts');
const watch = mutantsOf('src/engine/dispatch/helper-watch.ts');
const usage = mutantsOf('src/session/state/usage.ts');
const answers = mutantsOf('src/session/decide/answer-calls.ts');
const waits = mutantsOf('prisma/functions/expired_waits.sql');
const erase = mutantsOf('prisma/functions/erase_content.sql');
const forks = mutantsOf('src/session/decide/fork.ts');
const tasks = mutantsOf('src/engine/turn/tools/helper-tasks.ts');
const effect = mutantsOf('src/engine/store/effects.ts');
const bus = mutantsOf('src/platform/live/shared-live-bus.ts');
const forked = { simulated: false as const, specs: ['test/e2e/skills-in-helpers'] };
const e2e = { simulated: false as const, specs: ['test/e2e/helpers'] };

/** What a helper may do, and what becomes of it. */
export const helpers = [
  rules('the rules of the parent do not hold for a helper', "...above.map(({ settings }) => ['session', settings.permissions] as const),", '', e2e),
  rules('a helper is asked less than its parent', '[state, ...(await this.#above(tenantId, state))].map(', '[state].map(', e2e),
  offer('a helper is offered tools that its parent is not', '(bound(state)?.tools.includes(name) ?? true) && ', '', e2e),
  calls('helpers of helpers have no end', 'return (bound(state)?.depth ?? 0) < this.settings.HELPER_DEPTH', 'return (bound(state)?.depth ?? 0) < 1_000', e2e),
  calls('all helpers of an answer work at once', 'return this.settings.HELPER_CONCURRENCY - ', 'return 1_000 - ', e2e),
  watch('a helper is not interrupted with its parent', 'await this.#interrupt(tenantId, sessionId, own.turnId);', '', e2e),
  forks('a fork of a helper has rights that the helper has not', 'state.boundBy = bound(parent);', '', {
    simulated: false,
    specs: ['src/session/decide/fork'],
  }),
  rules(
    'the rules of the sessions above do not hold for a fork of a helper',
    'for (let call = bound(state); call !== null;) {',
    'for (let call = state.parent; call !== null;) {',
    e2e,
  ),
  offer('a fork of a helper is offered tools that its parent is not', '(bound(state)?.tools', '(state.parent?.tools', e2e),
  effect(
    'helpers stay when the process dies that has erased the message with their calls',
    'return orphans.length === 0 ? [erased] :',
    'return orphans.length >= 0 ? [erased] :',
    e2e,
  ),
  tasks(
    'a skill runs as another agent of the same name',
    "[`${name.replace(/:.*$/s, '')}:${wanted}`, wanted].find(",
    "[wanted, `${name.replace(/:.*$/s, '')}:${wanted}`].find(",
    forked,
  ),
  tasks('a model calls by itself what only a person may call', ' : !skill.modelInvocable) return null;', ' : false) return null;', forked),
  bus('what a process did not send while it was alone is missed by one that has just started', 'if (message[4]) this.#fanout.wake();', '', {
    simulated: false,
    specs: ['test/live/shared-live-bus'],
  }),
  bus('a process does not say that it was alone', 'return this.#sayHere(this.#membership.wasAlone);', 'return this.#sayHere();', {
    simulated: false,
    specs: ['test/live/shared-live-bus'],
  }),
  calls('a helper that a process which died had not made is never made', 'if (helper.version > 0) continue;', 'if (helper.version >= 0) continue;', {
    specs: ['test/fault/killed-helpers'],
  }),
  watch(
    'a turn that waits for a helper does not run again when it has ended',
    "if (turn && call && statusOf(call) === 'awaiting_helper') {",
    "if (turn && call && statusOf(call) === 'running') {",
    { specs: ['test/e2e/helpers'] },
  ),
  usage('the prompt of a helper counts as one of a person', 'of isHelper ? [] : events)', 'of events)', {
    simulated: false,
    specs: ['src/session/state/helper'],
  }),
  answers('the wait for a helper expires', 'if (unanswered.length + undecided.length === 0) return [];', '', {
    simulated: false,
    specs: ['src/session/decide/'],
  }),
  waits(
    'a turn that waits for a helper is looked at as one that waits for a person',
    'AND NOT EXISTS (SELECT FROM session h',
    'AND EXISTS (SELECT FROM session h',
    {
      specs: ['test/e2e/tools'],
    },
  ),
  erase('a helper stays when its parent is erased', 'UPDATE session l SET is_orphaned = true', 'UPDATE session l SET is_orphaned = false', {
    specs: ['test/e2e/helpers'],
  }),
];
