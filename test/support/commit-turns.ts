import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DEFAULT_MODEL } from '../../packages/normalizer/models/profiles.js';
import { eventsOf, type ScriptedBlock } from '../../src/engine/model/offline/script.js';
import { Signer } from '../../src/engine/model/offline/signature.js';
import type { Environment } from './server.js';
import type { Fault } from './stand-in-server.js';

/** The text of the commit skill. */
export const STEPS =
  "# Commit\n\nCreate a well-formatted commit with a smart commit message based on the staged changes.\n\nSteps:\n1. Run `git status` to see staged files\n2. Run `git diff --cached` to see what's being committed\n3. Draft a concise commit message\n4. Create the commit";

/** The hooks of the two turns. The status hook trusts the folder by name: git rejects repositories of other accounts. */
const HOOKS = {
  PreToolUse: [
    { matcher: 'Skill', hooks: [{ type: 'command', command: `echo '{"additionalContext":"Remember to verify staged changes first"}'` }] },
    { matcher: 'Bash', hooks: [{ type: 'command', command: `echo '{"additionalContext":"Remember to sign commits"}'` }] },
  ],
  PostToolUse: [
    { matcher: 'Skill', hooks: [{ type: 'command', command: `echo '{"additionalContext":"Skill expansion completed"}'` }] },
    {
      matcher: 'Bash',
      hooks: [{ type: 'command', command: `printf '{"additionalContext":"Status:\\\\n%s"}' "$(git status -sb)"` }],
    },
  ],
};

export const CLAUDE_MD = 'Contents of /Users/me/projects/myapp/CLAUDE.md (project instructions):\n# myapp\n- Use TDD\n- Sign all commits';

/** Writes the skill and the hooks of the turns of a commit; the settings that use them. */
export async function configureCommits(data: string): Promise<Environment> {
  await mkdir(path.join(data, 'skills/commit'), { recursive: true });
  await writeFile(
    path.join(data, 'skills/commit/SKILL.md'),
    `---\ndescription: Creates a commit\nallowed-tools: Bash(git status:*), Bash(git diff:*), Bash(git commit:*)\n---\n\n${STEPS}\n`,
  );
  await writeFile(path.join(data, 'hooks.json'), JSON.stringify({ hooks: HOOKS }));
  return {
    SKILLS_DIR: path.join(data, 'skills'),
    HOOKS_FILE: path.join(data, 'hooks.json'),
    TOOLS: 'Bash,Read,Edit,Write,Glob,Grep',
    GATES: 'system-reminder-folding',
    GIT_STATUS: 'false',
  };
}

/** The model's next answer. */
export const answer = (id: string, stopReason: string, ...blocks: readonly ScriptedBlock[]): Fault => ({
  kind: 'events',
  events: eventsOf({ id, model: DEFAULT_MODEL, blocks, stopReason, inputTokens: 100, signer: new Signer({}) }),
});
export const says = (text: string): ScriptedBlock => ({ type: 'text', words: [text] });
export const calls = (id: string, name: string, input: object): ScriptedBlock => ({ type: 'tool_use', id, name, json: JSON.stringify(input) });
export const text = (content: string): { readonly type: 'text'; readonly text: string } => ({ type: 'text', text: content });
export const reminder = (content: string): string => `<system-reminder>\n${content}\n</system-reminder>`;
