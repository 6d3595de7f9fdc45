import { Button } from '../../ui/parts.tsx';
import { type Agent, type AgentField, field } from './agents.ts';
import { describedBy, Fault, type Faults } from './faults.tsx';

interface Props {
  readonly agent: Agent;
  /** What the labels call it. */
  readonly title: string;
  readonly faults: Faults;
  readonly onChange: (agent: Agent) => void;
  readonly onRemove: () => void;
}

/** One agent: what it is for, how it works, with which model and tools. */
export function AgentFields({ agent, title, faults, onChange, onRemove }: Props) {
  const of = (name: AgentField) => ({
    id: field(agent, name),
    value: agent[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange({ ...agent, [name]: target.value }),
    ...describedBy(field(agent, name), faults),
  });
  const text = (name: AgentField, label: string, placeholder?: string) => (
    <>
      <label>
        {label}
        <input {...of(name)} placeholder={placeholder} spellCheck={name === 'description'} autoCapitalize="off" />
      </label>
      <Fault field={field(agent, name)} faults={faults} />
    </>
  );
  return (
    <fieldset className="mcp-server">
      <legend>{title}</legend>
      {text('name', 'Name')}
      {text('description', 'What it is for, told to the model', 'finds faults in a text')}
      <label>
        Prompt
        <textarea {...of('prompt')} rows={4} placeholder="Name the three worst faults, with the line of each." />
      </label>
      <Fault field={field(agent, 'prompt')} faults={faults} />
      {text('model', 'Model', 'that of the conversation that asks')}
      {text('tools', 'Tools, with commas between them', 'all that the conversation has that asks')}
      <div className="line">
        <span className="spacer" />
        <Button look="danger" aria-label={`Remove ${title}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}
