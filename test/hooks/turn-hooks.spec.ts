import { describe, expect, it } from '@jest/globals';
import { contextAttachments } from '../../packages/protocol/hooks/hook-messages.js';
import { type ConfiguredHook, type HookCall, Hooks, type ToolCall } from '../../src/ports/index.js';
import { TurnHooks } from '../../src/engine/turn/hooks/turn-hooks.js';
import type { HookRun } from '../../packages/protocol/hooks/hook-run.js';

/** Hooks that say what they are told to. */
class ScriptedHooks extends Hooks {
  readonly calls: HookCall[] = [];
  says: readonly Partial<HookRun>[] = [{}];

  override async run(call: HookCall): Promise<readonly HookRun[]> {
    this.calls.push(call);
    return this.says.map((said, index) => ({
      hookRunId: `h${index}`,
      event: call.event,
      hook: { type: 'command', command: 'true' },
      input: call.input,
      outcome: 'success',
      exitCode: 0,
      durationMs: 1,
      stdout: '',
      stderr: '',
      ...said,
    }));
  }

  override configured = async (): Promise<readonly ConfiguredHook[]> => [];
  override faultsIn = () => [];
}

const scene = { tenantId: 't', sessionId: 's', permissionMode: 'default' };
const call: ToolCall = {
  ...scene,
  turnId: 'turn',
  toolUseId: 'toolu_1',
  name: 'Bash',
  input: { command: 'ls' },
  permissionMode: 'default',
  workload: 'nightly',
};
const never = new AbortController().signal;

describe('the hooks of a turn', () => {
  it('read the members that the public reference defines for each event', async () => {
    const hooks = new ScriptedHooks();
    const turn = new TurnHooks(hooks);
    await turn.sessionStart(scene, { source: 'resume', model: 'm' }, never);
    await turn.userPromptSubmit(scene, 'hello', never);
    await turn.preToolUse(call, never);
    await turn.postToolUse(call, { content: 'files', toolUseResult: { stdout: 'files' } }, never);
    await turn.postToolUse(call, { content: [{ type: 'text', text: 'files' }] }, never);
    await turn.stop(scene, { active: true, lastText: 'done' }, never);
    await turn.preCompact(scene, { trigger: 'manual', instructions: 'keep names' }, never);
    const tool = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'toolu_1' };
    const place = { ...scene, workload: 'nightly' };
    expect(hooks.calls).toEqual([
      { ...scene, event: 'SessionStart', subject: 'resume', input: { source: 'resume', model: 'm' } },
      { ...scene, event: 'UserPromptSubmit', input: { prompt: 'hello' } },
      { ...place, event: 'PreToolUse', subject: 'Bash', input: tool },
      { ...place, event: 'PostToolUse', subject: 'Bash', input: { ...tool, tool_response: { stdout: 'files' } } },
      { ...place, event: 'PostToolUse', subject: 'Bash', input: { ...tool, tool_response: [{ type: 'text', text: 'files' }] } },
      { ...scene, event: 'Stop', input: { stop_hook_active: true, last_assistant_message: 'done' } },
      { ...scene, event: 'PreCompact', subject: 'manual', input: { trigger: 'manual', custom_instructions: 'keep names' } },
    ]);
  });

  it('combine to one verdict: the strictest decision, the last change, every context', async () => {
    const hooks = new ScriptedHooks();
    hooks.says = [
      { decision: 'allow', reason: 'known', additionalContext: 'a', updatedInput: { command: 'ls -a' } },
      { decision: 'ask', reason: 'sure?', systemMessage: 'awaiting_decision' },
      { outcome: 'non_blocking_error', reason: 'broken' },
      { additionalContext: 'b', updatedInput: { command: 'ls -l' } },
    ];
    const { verdict, runs } = await new TurnHooks(hooks).preToolUse(call, never);
    expect(verdict).toEqual({
      blocked: null,
      prevented: null,
      decision: 'ask',
      decisionReason: 'sure?',
      updatedInput: { command: 'ls -l' },
      updatedPrompt: null,
      contexts: ['a', 'b'],
      notices: ['awaiting_decision'],
    });
    expect(contextAttachments(runs)).toEqual(
      ['a', 'b'].map((text) => ({
        type: 'hook_additional_context',
        hookName: 'PreToolUse:Bash',
        hookEvent: 'PreToolUse',
        toolUseId: 'toolu_1',
        content: [text],
      })),
    );
  });

  it('combine to a denial when one denies, and to no decision when none decides', async () => {
    const hooks = new ScriptedHooks();
    hooks.says = [{ outcome: 'blocked', decision: 'deny', reason: 'no' }, { decision: 'allow' }];
    expect((await new TurnHooks(hooks).preToolUse(call, never)).verdict).toMatchObject({ blocked: 'no', decision: 'deny', decisionReason: 'no' });
    hooks.says = [];
    expect((await new TurnHooks(hooks).preToolUse(call, never)).verdict).toMatchObject({
      blocked: null,
      prevented: null,
      decision: null,
      contexts: [],
      notices: [],
    });
  });
});
