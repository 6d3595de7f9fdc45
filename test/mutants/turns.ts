import { mutantsOf } from './mutant.js';

const step = mutantsOf('src/session/decide/next-step.ts');
const driver = mutantsOf('src/engine/turn/turn-driver.ts');
const reports = mutantsOf('src/engine/turn/turn-reports.ts');
const call = mutantsOf('src/engine/turn/call-model.ts');
const watch = mutantsOf('src/engine/turn/interrupt-watch.ts');
const ended = mutantsOf('src/engine/commands/turn-ended.ts');
const worker = mutantsOf('src/worker.ts');
const run = mutantsOf('src/engine/turn/tools/run-call.ts');
const runs = mutantsOf('src/engine/turn/tools/run-calls.ts');

export const turns = [
  step('a request without an answer is not abandoned', "if (open) return { kind: 'abandon-request', requestId: open };", ''),
  step('calls of a lost worker stay open', 'if (lost.length > 0) return', 'if (lost.length < 0) return'),
  step('a request to stop is not looked at', "if (turn.interruptRequested) return { kind: 'finish-interrupt' };", ''),
  step('the output of a command is dropped by an interrupt', "if (!turn.prepared && turn.ranShell) return { kind: 'prepare' };", '', {
    simulated: false,
    specs: ['src/session/decide/'],
  }),
  step('a turn that waits continues', "|| turn.status !== 'running'", '', { simulated: false, specs: ['src/session/decide/'] }),
  driver('a conflict ends the run', "if (!isOvertaken(error, 'version_conflict')) throw error;", 'throw error;', {
    simulated: false,
    specs: ['test/worker/turn-driver'],
  }),
  driver('after a conflict the worker continues with its stale state', 'mine = false;', 'mine = true;', {
    equivalent: 'the executor rejects a report only on a state that it has just read from the log, and what is known is that state',
  }),
  driver('the pause before a retry follows the wall clock', 'Math.min(notBefore - now, this.settings.MODEL_RETRY_MAX_MS)', 'notBefore - now', {
    simulated: false,
    specs: ['test/worker/turn-driver'],
  }),
  driver('the pause before a retry is repeated', 'waited.add(ordinal);', '', { simulated: false, specs: ['test/worker/turn-driver'] }),
  driver('a request that loses its workers is repeated for ever', '>= this.settings.MAX_LOST_WORKERS', '> 1_000_000', {
    simulated: false,
    specs: ['test/worker/turn-driver'],
  }),
  driver('the output of a command is given up when the store is away', 'if (preparation.callsModel) await', 'if (job) await', {
    simulated: false,
    specs: ['test/simulation/scenes'],
  }),
  reports(
    'an answer is given up when the store is away',
    'if (!(error instanceof DomainError) || !PASSING.has(error.code) || process.aborted) throw error;',
    'throw error;',
    { simulated: false, specs: ['src/engine/turn/turn-reports'] },
  ),
  reports('the id of a report does not depend on its turn', '`${turnId}:${step}`', '`${step}`'),
  reports('reports have no claim', '...(claim ? { claim } : {})', '...{}', { simulated: false, specs: ['src/engine/turn/turn-reports'] }),
  call('a conversation is summed up for readers', 'compaction === null ? null : current, signal);', 'null, signal);', {
    simulated: false,
    specs: ['test/e2e/compaction'],
  }),
  watch('what another process announces is not heard', "if (signal.kind === 'advanced') read(signal.seq);", ''),
  watch('an announcement during a read is lost', 'if (changedMeanwhile) read();', '', { simulated: false, specs: ['test/worker/interrupt-watch'] }),
  watch('a known state is taken for the newest', 'if (known && known.version >= seq) return check(known);', 'if (known) return check(known);'),
  watch('a lost announcement is never recovered', 'const timer = setInterval(() => read(), POLL_MS);', 'const timer = setInterval(() => undefined, POLL_MS);', {
    simulated: false,
    specs: ['test/worker/interrupt-watch'],
  }),
  watch('a watch is never ended', '      unsubscribe();\n', ''),
  watch('a request to stop does not stop the work', '|| state.turn.interruptRequested) stop.abort();', ') stop.abort();'),
  ended('a wait for the end of a turn stays subscribed', '    unsubscribe();\n', ''),
  ended('the end of a turn is noticed at the next poll only', '    wake();\n', '', { simulated: false, specs: ['test/worker/interrupt-watch'] }),
  worker('a process that only answers clients runs turns', "if (ROLE === 'api') return;", ''),
  worker('turns are taken although all are to go through the queue', "if (TURN_DISPATCH === 'queue') return;", ''),
  worker('a process that stops leaves its turns', 'this.queue.finish(SHUTDOWN_GRACE_MS), this.directTurns.stop(SHUTDOWN_GRACE_MS), ', ''),
  run('a call runs before its start is recorded', 'await this.reports.report(job, `start:${this.clock.uuid()}`, begun);', '{ state };'),
  run(
    'a call that does not stop is waited for',
    'return await Promise.race([run, graceExpired(stop, this.settings.TOOL_STOP_GRACE_MS, done.signal)]);',
    'return await run;',
    { simulated: false, specs: ['test/fault/lost-calls'] },
  ),
  runs('a call is started twice', 'if (running.has(call.toolUseId)) continue;', ''),
  runs('a call that ended counts as running', 'running.delete(call.toolUseId);\n          if (after)', 'if (after)'),
];
