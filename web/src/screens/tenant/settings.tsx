import type { AnswerOf, RequestOf } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { Badge, Button, ErrorNote, Loading } from '../../ui/parts.tsx';
import { HookForm } from './hook-form.tsx';
import { McpForm } from './mcp-form.tsx';
import { PermissionForm } from './permission-form.tsx';
import { Switches } from './switches.tsx';

type Settings = AnswerOf<'getSettings'>;
type Change = RequestOf<'updateSettings'>['body'];

const ORIGINS = { default: 'the default', deployment: 'the deployment', tenant: 'the tenant' } as const;

/** What the tenant has set, and what the deployment decides where it has not. */
export function Settings() {
  const client = useClient();
  const settings = useLoad((signal) => client.getSettings({}, { signal }), [client]);
  const gates = useLoad((signal) => client.listGates({}, { signal }), [client]);
  const action = useAction();
  const run = (what: () => Promise<unknown>): void => void action.run(what).then(settings.reload).then(gates.reload);
  const change = (body: Change): void => run(() => client.updateSettings({ body }));
  /** Gates are replaced as a whole, so the others that the tenant has set go with it. */
  const turn = (name: string, isOn: boolean): void =>
    run(async () => {
      const { gates: own } = await client.getSettings();
      await client.updateSettings({ body: { gates: { ...own, [name]: isOn } } });
    });
  if (settings.error) return <ErrorNote error={settings.error} onRetry={settings.reload} />;
  if (!settings.data) return <Loading what="the settings" />;
  return (
    <>
      <ErrorNote error={action.error} onClose={action.clear} />
      <Conversations settings={settings.data} isBusy={action.isBusy} change={change} />
      <PermissionForm permissions={settings.data.permissions} onSaved={settings.reload} />
      <McpForm servers={settings.data.mcpServers} onSaved={settings.reload} />
      <HookForm hooks={settings.data.hooks} hasSecret={settings.data.hookSecret !== null} onSaved={settings.reload} />
      <Switches onSaved={settings.reload} />
      <section className="card" aria-label="Feature gates">
        <h2>Feature gates</h2>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Gate</th>
              <th scope="col">In force</th>
              <th scope="col">Comes from</th>
              <th scope="col">Set</th>
            </tr>
          </thead>
          <tbody>
            {(gates.data?.data ?? []).map(({ name, enabled, source, description }) => (
              <tr key={name}>
                <th scope="row">
                  {name} <p className="aside">{description}</p>
                </th>
                <td>{enabled ? <Badge tone="good">on</Badge> : <Badge>off</Badge>}</td>
                <td>{ORIGINS[source]}</td>
                <td>
                  <Button aria-label={`Turn ${name} ${enabled ? 'off' : 'on'}`} disabled={action.isBusy} onClick={() => turn(name, !enabled)}>
                    {enabled ? 'Turn off' : 'Turn on'}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

interface ConversationsProps {
  readonly settings: Settings;
  readonly isBusy: boolean;
  readonly change: (body: Change) => void;
}

function Conversations({ settings, isBusy, change }: ConversationsProps) {
  const [instructions, setInstructions] = useState(settings.instructions ?? '');
  const [days, setDays] = useState(settings.retentionDays === null ? '' : String(settings.retentionDays));
  const [bypassPermissions, setBypass] = useState(settings.bypassPermissions);
  const [memory, setMemory] = useState(settings.memory);
  return (
    <form
      className="card"
      aria-label="Conversations"
      onSubmit={(event) => {
        event.preventDefault();
        change({ instructions: instructions.trim() || null, retentionDays: days === '' ? null : Number(days), bypassPermissions, memory });
      }}
    >
      <h2>Conversations</h2>
      <label>
        Instructions for the model, in every conversation
        <textarea rows={4} value={instructions} onChange={(event) => setInstructions(event.target.value)} />
      </label>
      <div className="line">
        <label>
          Days until content is erased (left out: never)
          <input type="number" min={1} value={days} onChange={(event) => setDays(event.target.value)} />
        </label>
        <label className="check">
          <input type="checkbox" checked={bypassPermissions} onChange={(event) => setBypass(event.target.checked)} /> Conversations may run tools without asking
        </label>
        <label className="check">
          <input type="checkbox" checked={memory} onChange={(event) => setMemory(event.target.checked)} /> The model keeps a memory for each user
        </label>
        <span className="spacer" />
        <Button look="primary" type="submit" disabled={isBusy}>
          Save
        </Button>
      </div>
    </form>
  );
}
