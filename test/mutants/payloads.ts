import { mutantsOf } from './mutant.js';

const continued = mutantsOf('packages/normalizer/continue-payload.ts');
const thinking = mutantsOf('packages/normalizer/passes/drop-detached-thinking.ts');
/** The function is pure, and the simulation rarely has what it must not continue. */
const spec = { simulated: false as const, specs: ['packages/normalizer/continue-payload'] };

export const payloads = [
  continued('a payload is continued with other settings', 'settings !== sent.settings || ', '', spec),
  continued('a payload is continued after an answer at its end', '  if (!isComplete) return null;\n', '', spec),
  continued(
    'a payload is continued by another conversation',
    'messages[at] !== conversation[at] && messages[at]!.uuid !== conversation[at]!.uuid',
    'false',
    spec,
  ),
  continued('a payload is continued with what is about earlier messages', 'added.some(isAboutEarlier) || ', '', spec),
  continued('a payload is continued with another part of an answer', ' || hasFragmentOf(conversation, added) ? null : added', ' ? null : added', spec),
  continued('a payload is continued by a prompt', "  if (first !== undefined && first.kind !== 'assistant') return false;\n", '', spec),
  continued('a payload is continued with a late result', "action === 'dropped' && PAIRING.has(pass)", 'false', spec),
  continued('a payload is continued after an open call of a server tool', ' || hasOpenServerCall(sent)) return false', ') return false', spec),
  continued('a payload is continued with an id that was used', 'ids.size === 0 || !sent.some((message) => hasCallOf(message, ids))', 'true', spec),
  continued('a payload is continued by nothing', ' || (end.working.length === 0 && !added.every(isForReaders))', '', spec),
  continued('a payload is continued above the limits of a request', 'if (hasMedia && ', 'if (false as boolean && ', spec),
  continued('the last turn is cut out of a message before it', ' || before.some((message) => uuidsIn(message).some((uuid) => after.has(uuid)))', '', spec),
  continued('what precedes the last turn ends as that did', '    endsWithUser: endsWithUser(kept, last),\n', '', spec),
  continued('a payload is continued where texts move', " || context.gates['tool-reference-relocation']", '', spec),
  continued('a trace has the places of what was added alone', 'message: entry.target.message + keep', 'message: entry.target.message', spec),
  thinking('thinking is compared with nothing before it', 'let before = serializer.after;', "let before = '';", spec),
];
