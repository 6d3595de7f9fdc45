import { useRef, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { visible } from '../../text/plain.tsx';
import { Button } from '../../ui/parts.tsx';
import { AgentFields } from './agent-fields.tsx';
import { type Agent, type Agents, agentsOf, bodyOf, field, fieldsOf, freshAgent, repeatsIn } from './agents.ts';
import { NONE } from './names.ts';
import { SettingsForm } from './settings-form.tsx';
import { useSaving } from './use-saving.ts';

interface Props {
  readonly agents: Agents;
  readonly version: number;
  readonly onSaved: () => void;
}

/** The agents of the tenant: how helpers work that the model asks for by name. */
export function AgentForm({ agents: stored, version, onSaved }: Props) {
  const [agents, setAgents] = useState(() => agentsOf(stored));
  const saving = useSaving({ onSaved, version, fill: (now) => setAgents(agentsOf(now.agents)) });
  const client = useClient();
  const known = useLoad((signal) => client.listTools({}, { signal }), [client, version]); // a change of the settings may have brought servers
  const adding = useRef<HTMLButtonElement>(null);
  const change = (next: readonly Agent[]): void => {
    setAgents(next);
    saving.touch();
  };
  const add = (): void => {
    const agent = freshAgent();
    saving.focusNext(field(agent, 'name'));
    change([...agents, agent]);
  };
  const remove = (id: string): void => {
    change(agents.filter((agent) => agent.id !== id));
    adding.current?.focus();
  };
  const save = (): void => {
    const repeats = repeatsIn(agents);
    if (repeats.at.size > 0) saving.reject(repeats);
    else void saving.save({ agents: bodyOf(agents) }, fieldsOf(agents));
  };
  return (
    <SettingsForm
      label="Agents"
      sections={['agents']}
      saving={saving}
      saveLabel="Save the agents"
      onSave={save}
      json={bodyOf(agents)}
      action={
        <Button ref={adding} onClick={add}>
          Add an agent
        </Button>
      }
    >
      <p className="aside">
        Helpers that the model asks for by name, each with a prompt of its own. An agent can use only tools that the conversation has from which it is asked.
        Write <code>{NONE}</code> for no tools.
      </p>
      <div className="entry-list">
        {agents.map((agent, index) => (
          <AgentFields
            key={agent.id}
            agent={agent}
            title={`Agent ${index + 1}${agent.name.trim() && `, ${visible(agent.name.trim())}`}`}
            known={known.data ?? null}
            faults={saving.faults}
            onChange={(next) => change(agents.map((one) => (one.id === next.id ? next : one)))}
            onRemove={() => remove(agent.id)}
          />
        ))}
      </div>
      {agents.length === 0 && <p className="aside">The tenant has no agents.</p>}
    </SettingsForm>
  );
}
