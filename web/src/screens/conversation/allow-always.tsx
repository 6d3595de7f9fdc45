import type { ToolCall } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { Button } from '../../ui/parts.tsx';
import { useTranscript } from './context.tsx';

/** Stores a rule for later calls of this conversation, and allows this one. The rule is shown, and can be changed, before it is stored. */
export function AllowAlways({ call, onClose }: { readonly call: ToolCall; readonly onClose: () => void }) {
  const { id, act } = useTranscript();
  const client = useClient();
  const [rule, setRule] = useState(() => ruleFor(call));
  const [isStoring, setStoring] = useState(false);
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
      <label>
        Rule
        <input className="mono" value={rule} onChange={(event) => setRule(event.target.value)} spellCheck={false} />
      </label>
      <Button look="primary" type="submit" disabled={isStoring || rule.trim() === ''}>
        Store the rule and approve
      </Button>
      <Button look="quiet" onClick={onClose}>
        Cancel
      </Button>
      <p>
        {/\(/.test(rule) ? 'Calls that match it' : 'All calls of this tool'} run without being asked about, in this conversation only. Rules that deny win over
        it. <code>Bash(npm test:*)</code> is for commands that begin so, <code>Edit(src/**)</code> for files.
      </p>
    </form>
  );
}

/** Such a command is one rule as it stands: what a rule or a shell reads differently is not in it. */
const PLAIN = /^[\w ./:=@,+-]{1,200}$/;

/** The narrowest rule that is known for a call: the command of a shell, otherwise its tool; none for a command that is more than one. */
export function ruleFor({ name, input }: Pick<ToolCall, 'name' | 'input'>): string {
  if (name !== 'Bash') return name;
  const command: unknown = (input as { readonly command?: unknown } | null)?.command;
  return typeof command === 'string' && PLAIN.test(command.trim()) && !command.trim().endsWith(':') ? `Bash(${command.trim()})` : '';
}
