import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { visible } from '../../text/plain.tsx';
import { ErrorNote, Loading } from '../../ui/parts.tsx';
import { SettingsForm } from './settings-form.tsx';
import { useSaving } from './use-saving.ts';

/** What a tenant has without a setting of its own: a plugin is off, a skill on. */
const DEFAULTS = { plugins: false, skills: true } as const;

interface Switch {
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly about: string;
}

const PARTS = { hooks: 'hooks', mcpServers: 'MCP servers', skills: 'skills' } as const;

/** Plugins and skills that the operator has installed, each on or off. */
export function Switches({ onSaved }: { readonly onSaved: () => void }) {
  const client = useClient();
  const plugins = useLoad((signal) => client.listPlugins({}, { signal }), [client]);
  const skills = useLoad((signal) => client.listSkills({ disabled: true }, { signal }), [client]);
  if (plugins.error ?? skills.error) return <ErrorNote error={plugins.error ?? skills.error} />;
  if (!plugins.data || !skills.data) return <Loading what="the plugins and skills" />;
  const installed = {
    plugins: plugins.data.data.map(({ brings, ...plugin }) => ({ ...plugin, about: brings.map((part) => PARTS[part]).join(', ') })),
    skills: skills.data.data.map(({ name, description, kind, enabled = true }) => ({ name, description, enabled, about: kind === 'skill' ? '' : kind })),
  };
  const saved = (): void => {
    skills.reload(); // those of a plugin come and go with it
    onSaved();
  };
  return (
    <>
      <SwitchForm key="plugins" section="plugins" label="Plugins" switches={installed.plugins} onSaved={saved} />
      <SwitchForm key={installed.skills.map(({ name }) => name).join(' ')} section="skills" label="Skills" switches={installed.skills} onSaved={onSaved} />
    </>
  );
}

interface Props {
  readonly section: keyof typeof DEFAULTS;
  readonly label: string;
  readonly switches: readonly Switch[];
  readonly onSaved: () => void;
}

function SwitchForm({ section, label, switches, onSaved }: Props) {
  const saving = useSaving({ onSaved });
  const [changed, setChanged] = useState<Readonly<Record<string, boolean>>>({});
  const turn = (name: string, isOn: boolean): void => {
    setChanged({ ...changed, [name]: isOn });
    saving.touch();
  };
  // A section is replaced as a whole: what it says of others stays as it is stored now.
  const save = (): void => void saving.save(({ [section]: stored }) => ({ [section]: { ...stored, ...changed } }));
  const what = label.toLowerCase();
  return (
    <SettingsForm label={label} sections={[section]} saving={saving} saveLabel={`Save the ${what}`} onSave={save} isEmpty={switches.length === 0}>
      <p className="aside">
        {switches.length === 0
          ? 'None is installed. The operator installs them in the folder of plugins.'
          : `The operator has installed them; ${DEFAULTS[section] ? 'each is on unless it is switched off here' : 'each is off unless it is switched on here'}.`}
      </p>
      <ul className="entries switches">
        {switches.map(({ name, description, enabled, about }) => (
          <li key={name}>
            <label className="check">
              <input type="checkbox" checked={changed[name] ?? enabled} onChange={({ target }) => turn(name, target.checked)} />{' '}
              <strong>{visible(name)}</strong>
              {about !== '' && <span className="aside">{about}</span>}
            </label>
            {description !== '' && <p className="session-brief wrap">{visible(description)}</p>}
          </li>
        ))}
      </ul>
    </SettingsForm>
  );
}
