import { useState } from 'react';
import { plural } from '../../app/words.ts';
import { SettingsForm } from './settings-form.tsx';
import { type StoredSettings, useSaving } from './use-saving.ts';

interface Props {
  readonly settings: StoredSettings;
  readonly onSaved: () => void;
}

/** Instructions, retention and what conversations may do. Only what was changed is saved. */
export function ConversationsForm({ settings, onSaved }: Props) {
  const [stored, setStored] = useState(settings);
  const [fields, setFields] = useState(() => fieldsOf(settings));
  const fill = (now: StoredSettings): void => {
    setStored(now);
    setFields(fieldsOf(now));
  };
  const saved = (now: StoredSettings): void => {
    // What was not changed here follows what is stored: another admin may have changed it.
    const [before, after] = [fieldsOf(stored), fieldsOf(now)];
    setFields((mine) => ({
      instructions: mine.instructions === before.instructions ? after.instructions : mine.instructions,
      days: mine.days === before.days ? after.days : mine.days,
      bypassPermissions: mine.bypassPermissions === before.bypassPermissions ? after.bypassPermissions : mine.bypassPermissions,
      memory: mine.memory === before.memory ? after.memory : mine.memory,
    }));
    setStored(now);
    onSaved();
  };
  const saving = useSaving({ onSaved: saved, version: settings.version, fill });
  const set = (change: Partial<typeof fields>): void => {
    setFields({ ...fields, ...change });
    saving.touch();
  };
  const days = fields.days === '' ? null : Number(fields.days);
  const erasesMore = days !== null && (stored.retentionDays === null || days < stored.retentionDays);
  const save = (): void => {
    const { bypassPermissions, memory } = fields;
    const wanted = {
      instructions: fields.instructions.trim() || null,
      retentionDays: days,
      bypassPermissions,
      memory,
    };
    const changed = Object.entries(wanted).filter(([name, value]) => stored[name as keyof typeof wanted] !== value);
    void saving.save(Object.fromEntries(changed));
  };
  return (
    <SettingsForm
      label="Conversations"
      sections={['instructions', 'retentionDays', 'bypassPermissions', 'memory']}
      saving={saving}
      saveLabel="Save"
      onSave={save}
    >
      <p className="aside">What the model is told in every conversation of the tenant, how long content is kept, and what conversations may do.</p>
      <label>
        Instructions for the model, in every conversation
        <textarea rows={4} value={fields.instructions} onChange={({ target }) => set({ instructions: target.value })} />
      </label>
      <div className="settings-fields">
        <label>
          Days until content is erased
          <input type="number" min={1} placeholder="never" value={fields.days} onChange={({ target }) => set({ days: target.value })} />
        </label>
        {erasesMore && (
          <label className="check" key={days}>
            <input type="checkbox" required /> I know that content older than {plural(days, 'day')} is erased then, for good
          </label>
        )}
        <label className="check">
          <input type="checkbox" checked={fields.bypassPermissions} onChange={({ target }) => set({ bypassPermissions: target.checked })} /> Conversations may
          run tools without asking
        </label>
        <label className="check">
          <input type="checkbox" checked={fields.memory} onChange={({ target }) => set({ memory: target.checked })} /> The model keeps a memory for each user
        </label>
      </div>
    </SettingsForm>
  );
}

const fieldsOf = ({ instructions, retentionDays, bypassPermissions, memory }: StoredSettings) => ({
  instructions: instructions ?? '',
  days: retentionDays === null ? '' : String(retentionDays),
  bypassPermissions,
  memory,
});
