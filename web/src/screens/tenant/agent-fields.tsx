import { useState } from 'react';
import { modelName, plural } from '../../app/words.ts';
import { type Agent, type AgentField, field } from './agents.ts';
import { AgentTools, type KnownTools, missingOf } from './agent-tools.tsx';
import { Entry } from './entry.tsx';
import { describedBy, Fault, type Faults } from './faults.tsx';
import { namesIn } from './names.ts';

interface Props {
  readonly agent: Agent;
  /** What the labels call it. */
  readonly title: string;
  /** Null: they are not known, or not yet. */
  readonly known: KnownTools | null;
  readonly faults: Faults;
  readonly onChange: (agent: Agent) => void;
  readonly onRemove: () => void;
}

/** One agent: what it is for, how it works, with which model and tools. */
export function AgentFields({ agent, title, known, faults, onChange, onRemove }: Props) {
  const [isNew] = useState(agent.name === '');
  const of = (name: AgentField) => ({
    id: field(agent, name),
    value: agent[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange({ ...agent, [name]: target.value }),
    ...describedBy(field(agent, name), faults),
  });
  const text = (name: AgentField, label: string, placeholder?: string, more: object = {}) => (
    <>
      <label>
        {label}
        <input {...of(name)} {...more} placeholder={placeholder} spellCheck={name === 'description'} autoCapitalize="off" />
      </label>
      <Fault field={field(agent, name)} faults={faults} />
    </>
  );
  const toolsField = field(agent, 'tools');
  const noteId = `${toolsField}-note`;
  return (
    <Entry
      title={title}
      name={agent.name.trim() || 'New agent'}
      about={agent.description}
      facts={[agent.model.trim() === '' ? '' : modelName(agent.model.trim()), toolsOf(agent, known)]}
      isNew={isNew}
      hasFault={FIELDS.some((name) => faults.at.has(field(agent, name)))}
      onRemove={onRemove}
    >
      {text('name', 'Name')}
      {text('description', 'What it is for, told to the model', 'finds faults in a text')}
      <label>
        Prompt
        <textarea {...of('prompt')} rows={4} placeholder="Name the three worst faults, with the line of each." />
      </label>
      <Fault field={field(agent, 'prompt')} faults={faults} />
      {text('model', 'Model', 'that of the conversation that asks')}
      {text(
        'tools',
        'Tools, with commas between them',
        'all that the conversation has that asks',
        faults.at.has(toolsField) ? {} : { 'aria-describedby': noteId },
      )}
      <AgentTools tools={agent.tools} known={known} title={title} noteId={noteId} onChange={(tools) => onChange({ ...agent, tools })} />
    </Entry>
  );
}

const FIELDS: readonly AgentField[] = ['name', 'description', 'prompt', 'model', 'tools'];

const toolsOf = ({ tools }: Agent, known: KnownTools | null): string => {
  const names = tools.trim() === '' ? null : namesIn(tools);
  const { unknown } = missingOf(tools, known);
  const whole = names === null ? 'all tools' : names.length === 0 ? 'no tools' : plural(names.length, 'tool');
  return unknown.length === 0 ? whole : `${whole}, ${unknown.length} unknown`;
};
