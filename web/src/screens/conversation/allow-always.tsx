import type { ToolCall } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { visible } from '../../text/plain.tsx';
import { Button } from '../../ui/parts.tsx';
import { useTranscript } from './context.tsx';

/** Stores a rule for later calls of this conversation, and allows this one. The rule is shown, and can be changed, before it is stored. */
export function AllowAlways({ call, onClose }: { readonly call: ToolCall; readonly onClose: () => void }) {
  const { id, act } = useTranscript();
  const client = useClient();
  const choices = rulesFor(call);
  const [rule, setRule] = useState(choices[0]?.rule ?? '');
  const [isOther, setOther] = useState(choices.length === 0);
  const [isStoring, setStoring] = useState(false);
  const choose = (one: string): void => {
    setRule(one);
    setOther(false);
  };
  const store = (): void => {
    setStoring(true);
    act(async () => {
      try {
        const text = rule.trim();
        const { permissions } = await client.getSession({ id });
        const allow = [...new Set([...(permissions.allow ?? []), text])];
        await client.updateSession({ id, body: { permissions: { ...permissions, allow } } });
        await client.decideToolCall({ id, body: { toolUseId: call.toolUseId, decision: 'allow' } });
      } finally {
        setStoring(false);
      }
    });
  };
  return (
    <form
      className="allow-always"
      onSubmit={(event) => {
        event.preventDefault();
        store();
      }}
    >
      <fieldset className="rule-choices">
        <legend>Allow without asking, in this conversation</legend>
        {choices.map((one) => (
          <label key={one.rule}>
            <input type="radio" name={`rule-${call.toolUseId}`} checked={!isOther && rule === one.rule} onChange={() => choose(one.rule)} />
            <span>{one.words}</span> {one.rule !== call.name && <code>{visible(one.rule)}</code>}
          </label>
        ))}
        {choices.length > 0 && (
          <label>
            <input type="radio" name={`rule-${call.toolUseId}`} checked={isOther} onChange={() => setOther(true)} />
            <span>Another rule</span>
          </label>
        )}
      </fieldset>
      {isOther && (
        <label>
          Rule
          <input className="mono" value={rule} onChange={(event) => setRule(event.target.value)} spellCheck={false} />
          <span className="aside">
            <code>Bash(npm test:*)</code> allows every command that begins with these words, <code>Edit(src/**)</code> every file below this folder.
          </span>
        </label>
      )}
      <p>A rule that denies such a call still wins.</p>
      <Button look="primary" type="submit" disabled={isStoring || rule.trim() === ''}>
        Always allow and approve
      </Button>
      <Button look="quiet" onClick={onClose}>
        Cancel
      </Button>
    </form>
  );
}

/** Such a command is one rule as it stands: what a rule or a shell reads differently is not in it. */
const PLAIN = /^[\w ./:=@,+-]{1,200}$/;

interface Choice {
  readonly rule: string;
  readonly words: string;
}

/** Tools whose rules may name a file. */
const OF_FILES = new Set(['Read', 'Write', 'Edit', 'MultiEdit']);

/** Rules that fit a call, the narrowest first: the command of a shell, the file, or the tool; none for a command that is more than one. */
export function rulesFor({ name, input }: Pick<ToolCall, 'name' | 'input'>): readonly Choice[] {
  const { command, file_path: path } = (input ?? {}) as { readonly command?: unknown; readonly file_path?: unknown };
  const every: Choice = { rule: name, words: `Every call of ${visible(name.slice(0, 200))}` };
  if (name === 'Bash') {
    if (typeof command !== 'string' || !PLAIN.test(command.trim()) || command.trim().endsWith(':')) return [];
    return [{ rule: `Bash(${command.trim()})`, words: 'This command, as it stands' }];
  }
  // A path is from the session's folder, or, after two slashes, from the root.
  if (OF_FILES.has(name) && typeof path === 'string' && PLAIN.test(path) && !path.includes('..')) {
    return [{ rule: `${name}(/${path})`, words: 'This file' }, every];
  }
  return [every];
}
