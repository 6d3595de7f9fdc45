import { mutantsOf } from './mutant.js';

const decide = mutantsOf('src/session/decide/decide.ts');
const turn = mutantsOf('src/session/decide/decide-turn.ts');
const calls = mutantsOf('src/session/decide/decide-calls.ts');
const end = mutantsOf('src/session/decide/end-turn.ts');
const answers = mutantsOf('src/session/decide/answer-calls.ts');
/** The rules are pure, and their specs are faster than the simulation. */
const rule = { simulated: false as const, specs: ['src/session/decide/'] };

const owner = mutantsOf('src/session/state/memory-owner.ts');
const paths = mutantsOf('src/session/memory/memory-path.ts');
const limits = mutantsOf('src/session/memory/memory-limits.ts');
const schedule = mutantsOf('src/session/decide/schedules.ts');
const rewinds = mutantsOf('src/session/decide/rewind.ts');
const branches = mutantsOf('src/session/state/branches.ts');
const points = mutantsOf('src/session/state/evolve-turn.ts');
const next = mutantsOf('src/features/schedules/next-run.ts');
const times = { simulated: false as const, specs: ['src/features/schedules/'] };
const memory = { simulated: false as const, specs: ['src/session/memory/'] };
const ofMemory = { simulated: false as const, specs: ['src/session/state/memory-owner'] };

export const rules = [
  owner('an editor uses the memory of the owner', ' || prompts.get(turn.promptId)?.by !== ownerId) return null;', ') return null;', ofMemory),
  owner('the memory is read into a shared session', 'every((principal) => principal === `user:${ownerId}`)', 'every(() => true)', ofMemory),
  paths('a path of the memory leads out of it', "if (names.includes('..'))", "if (names[0] === '..')", memory),
  paths('a path of the memory is decoded by someone', 'if (ENCODED.test(given))', 'if (false)', memory),
  limits('the memory has no limit of files', 'if (!files.has(path) && files.size >= limits.files)', 'if (false)', memory),
  limits('a file of the memory is below a file', 'return file === undefined ? null :', 'return file !== null ? null :', memory),
  decide('the queue has no limit', 'if (state.queue.length >= maxQueued)', 'if (state.queue.length < 0)', rule),
  decide('a prompt interrupts a turn twice', ' || state.turn.interruptRequested) return queued;', ') return queued;', rule),
  decide(
    'a turn that waits is not resumed to be stopped',
    "return state.status === 'waiting' ? [...requested, { type: 'turn.resumed', data: { turnId } }] : requested;",
    'return requested;',
    rule,
  ),
  decide(
    'a second request to stop is recorded',
    'if (!state.turn || state.turn.interruptRequested) return withdrawn;',
    'if (!state.turn) return withdrawn;',
    rule,
  ),
  decide(
    'a turn that waits is not stopped at once',
    "if (state.status !== 'waiting') return [...withdrawn, requested];",
    'return [...withdrawn, requested];',
    rule,
  ),
  decide('a session is rewound while its turn runs', "    case 'Rewind':\n      requireIdle(state);", "    case 'Rewind':", rule),
  decide(
    'a closed session takes prompts',
    "if (state.status === 'closed') throw new DomainError('session_closed'",
    "if (state.version < 0) throw new DomainError('session_closed'",
    rule,
  ),
  decide('a prompt that started is withdrawn', "if (prompt.status === 'started')", "if (prompt.status === 'answered')", rule),
  turn('a request that was built on an older state is sent', 'if (command.request.at !== state.version) throw stateChanged();', '', rule),
  turn(
    'an answer to an abandoned request is recorded',
    "case 'RecordAnswer':\n      if (openRequest(state, turn) !== command.requestId) throw turnOver();",
    "case 'RecordAnswer':",
    rule,
  ),
  turn('a turn is prepared twice', 'if (turn.prepared) throw turnOver();\n  // The output', '// The output', rule),
  turn(
    'a turn finishes although it was to stop',
    'if (turn.interruptRequested) throw stateChanged();\n  const { turnId } = turn;',
    'const { turnId } = turn;',
    rule,
  ),
  turn('a report of another turn is accepted', 'if (!turn || turn.turnId !== command.turnId) throw turnOver();', 'if (!turn) throw turnOver();', rule),
  calls('a call starts twice', 'if (call.startedAt !== null) throw turnOver();', '', rule),
  calls(
    'a call starts after a request to stop',
    "if (turn.interruptRequested || statusOf(call) !== 'ready') throw stateChanged();",
    "if (statusOf(call) !== 'ready') throw stateChanged();",
    rule,
  ),
  calls('an outcome is recorded twice', "if (!['running', 'awaiting_helper'].includes(statusOf(call))) throw turnOver();", '', rule),
  calls('a turn waits while a call can run', 'if (turn.interruptRequested || busy ||', 'if (turn.interruptRequested ||', rule),
  end('the queue stops when a turn ends', 'const next = state.queue[0];', 'const next = state.queue[99];', rule),
  end('calls without an outcome stay open in an interrupted turn', '...lostCalls(turn, open), ', '', rule),
  end('a request stays open in an interrupted turn', "if (state.requests.get(requestId)?.status !== 'open') continue;", 'continue;', rule),
  answers('the last result does not resume the turn', "!left.includes('awaiting_decision') && (", 'left.length < 0 && (', rule),
  answers('a wait that ends does not resume the turn', "    { type: 'turn.resumed', data: { turnId: turn.turnId } },\n", '', rule),
  rewinds('a rewind of files alone moves the conversation', 'if (!messages) return', 'if (rewindId === null) return', rule),
  rewinds('the restore of a rewind of files alone moves the conversation', 'movesHead(rewind.data)', 'rewind !== null', rule),
  rewinds('a restored branch has the files of another one', 'data: { ...data, ...filesBack(state, left.files) } }', 'data }', rule),
  branches('a rewind of files alone is a branch that was left', ' || !movesHead(data)) continue;', ') continue;', rule),
  points('what something else has put into the folder is a change by the turn', 'turn.filesBefore = version;', '', rule),
  schedule('a run is made at any time', 'return schedule?.nextRunAt === dueAt ? schedule : null;', 'return schedule ?? null;', rule),
  schedule('schedules are resumed beyond the limit', 'if (count >= limit)', 'if (false)', rule),
  schedule('failed runs never pause a schedule', 'schedule.failures + 1 >= pauseAfter', 'false', rule),
  schedule('a change is made to what was changed meanwhile', '.seq !== of) throw', '.seq < 0) throw', rule),
  next('an hour that is shown twice has its runs twice', ' || isRepeated(time, offsetAt)', '', times),
  next('an interval makes a run for each time that was missed', 'Math.max(0, Math.floor((after - start) / step)) + 1', '1', times),
];
