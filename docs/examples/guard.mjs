#!/usr/bin/env node
/**
 * A hook in the shape of Claude Code's: it reads one JSON object and answers with an exit code or with JSON. Configure it for SessionStart, UserPromptSubmit
 * and PreToolUse.
 */
let text = '';
for await (const chunk of process.stdin) text += chunk;
const call = JSON.parse(text);

const SECRET = /\b(?:AKIA[0-9A-Z]{16}|ghp_[A-Za-z0-9]{36}|-----BEGIN [A-Z ]*PRIVATE KEY-----)/;
const answer = (members) => console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: call.hook_event_name, ...members } }));

switch (call.hook_event_name) {
  case 'SessionStart':
    // Plain text is context for the model.
    console.log(`This conversation began by ${call.source}. Answers are read by people of the support team.`);
    break;
  case 'UserPromptSubmit':
    if (SECRET.test(call.prompt)) {
      console.error('The prompt holds a key. Take it out, and replace the key: it has been on a clipboard.');
      process.exit(2); // the prompt is not sent
    }
    break;
  case 'PreToolUse':
    if (call.tool_name === 'Bash' && /\brm\s+-\w*r\w*f|\bmkfs\b/.test(call.tool_input.command ?? '')) {
      answer({ permissionDecision: 'deny', permissionDecisionReason: 'Deleting whole trees is left to people.' });
    } else if (call.tool_name === 'Bash' && /^npm (?:install|i)\b/.test(call.tool_input.command ?? '')) {
      answer({ permissionDecision: 'ask', updatedInput: { ...call.tool_input, command: `${call.tool_input.command} --ignore-scripts` } });
    }
    break;
}
