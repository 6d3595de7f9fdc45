import { standIn, type Report } from './problem.js';
import { continuesThread, isObject, listOf, type JsonObject, type ParsedMessage, type ParsedRequest, type Stage } from './parsed-request.js';
import { isServerResult } from './server-tools.js';

/** Order of roles (docs: Messages API; Mid-conversation system messages). */
export const roles: Stage = (request, report) => {
  firstRole(request, report);
  if (!request.profile.mergesSameRole) alternation(request, report);
  systemMessages(request, report);
};

function firstRole({ body, messages }: ParsedRequest, report: Report): void {
  // A summary that stands for earlier messages comes first, in whatever role it was returned.
  if (continuesThread(body) || messages[0]?.blocks[0]?.type === 'compaction') return;
  const first = messages[0];
  if (first?.role === 'assistant') {
    report({
      rule: 'first-message-not-user',
      at: 'messages.0',
      text: 'messages: first message must use the "user" role',
    });
  } else if (first?.role === 'system') {
    const text = "messages.0: use the top-level 'system' parameter for the initial system prompt";
    report({ rule: 'system-message-first', at: 'messages.0', text });
  }
}

function alternation({ messages }: ParsedRequest, report: Report): void {
  messages.forEach(({ index, role }) => {
    if (index === 0 || role === 'system' || messages[index - 1]?.role !== role) return;
    const text = `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`;
    report({ rule: 'roles-not-alternating', at: `messages.${index}`, text });
  });
}

function systemMessages(request: ParsedRequest, report: Report): void {
  const { profile, messages, body } = request;
  let before: ParsedMessage | undefined;
  for (const message of messages) {
    if (message.role !== 'system') {
      before = message;
      continue;
    }
    const at = `messages.${message.index}`;
    emptySystemMessage(body, message, report);
    if (message.index === 0 || setsOnlyOutput(body, message)) continue;
    if (!profile.systemRole) {
      const otherProviders =
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.';
      const text = profile.provider === 'anthropic' ? "role 'system' is not supported on this model" : otherProviders;
      report({ rule: 'system-role-not-supported', at, text });
    } else if (!mayFollow(before)) {
      const text = standIn(`${at}: a system message must follow a user turn, or an assistant turn that ends in a server tool result`);
      report({ rule: 'system-message-misplaced', at, text });
    } else if (messages[message.index + 1]?.role === 'user' && !awaitsResults(before)) {
      const text = standIn(`${at}: a system message must be last or be followed by an assistant turn`);
      report({ rule: 'system-message-misplaced', at, text });
    }
  }
}

/** A system message that sets `output_config` and says nothing may stand anywhere after the first message. */
export const setsOnlyOutput = (body: JsonObject, { index, role, blocks }: ParsedMessage): boolean => {
  const message = listOf(body['messages'])[index];
  return role === 'system' && blocks.length === 0 && isObject(message) && isObject(message['output_config']);
};

/** A system message has content or sets `output_config` (docs: Mid-conversation system messages). */
function emptySystemMessage(body: JsonObject, { index }: ParsedMessage, report: Report): void {
  const message = listOf(body['messages'])[index];
  if (!isObject(message) || message['content'] !== undefined) return;
  const config = message['output_config'];
  if (isObject(config) && Object.values(config).some((value) => value !== null && value !== undefined)) return;
  const at = `messages.${index}`;
  report({ rule: 'system-message-empty', at, text: standIn(`${at}: a system message must have content or output_config`) });
}

/** A system message between a call and its result is reported by the tool-pair rules, as the API does. */
const mayFollow = (before: ParsedMessage | undefined): boolean =>
  before?.role !== 'assistant' || awaitsResults(before) || isServerResult(before.blocks.at(-1)?.type ?? '');

const awaitsResults = (message: ParsedMessage | undefined): boolean => message?.role === 'assistant' && message.blocks.some(({ type }) => type === 'tool_use');
