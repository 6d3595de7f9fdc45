import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { Badge, Button, ErrorNote, Loading } from '../../ui/parts.tsx';
import { AgentForm } from './agent-form.tsx';
import { SettingsChanges } from './changes.tsx';
import { ConversationsForm } from './conversations-form.tsx';
import { HookForm } from './hook-form.tsx';
import { McpForm } from './mcp-form.tsx';
import { PermissionForm } from './permission-form.tsx';
import { Switches } from './switches.tsx';

const ORIGINS = { default: 'the default', deployment: 'the deployment', tenant: 'the tenant' } as const;

/** What the tenant has set, and what the deployment decides where it has not. */
export function Settings() {
  const client = useClient();
  const settings = useLoad((signal) => client.getSettings({}, { signal }), [client]);
  const gates = useLoad((signal) => client.listGates({}, { signal }), [client]);
  const action = useAction();
  /** Gates are replaced as a whole, so the others that the tenant has set go with it. */
  const turn = async (name: string, isOn: boolean): Promise<void> => {
    await action.run(async () => {
      const { gates: own, version } = await client.getSettings();
      await client.updateSettings({ body: { gates: { ...own, [name]: isOn } } }, { ifVersion: version });
    });
    settings.reload();
    gates.reload();
  };
  if (settings.error) return <ErrorNote error={settings.error} onRetry={settings.reload} />;
  if (!settings.data) return <Loading what="the settings" />;
  const { permissions, agents, mcpServers, hooks, hookSecret, version } = settings.data;
  return (
    <>
      <ErrorNote error={action.error} onClose={action.clear} />
      <ConversationsForm settings={settings.data} onSaved={settings.reload} />
      <PermissionForm permissions={permissions} version={version} onSaved={settings.reload} />
      <AgentForm agents={agents} version={version} onSaved={settings.reload} />
      <McpForm servers={mcpServers} version={version} onSaved={settings.reload} />
      <HookForm hooks={hooks} hasSecret={hookSecret !== null} version={version} onSaved={settings.reload} />
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
                  <Button aria-label={`Turn ${name} ${enabled ? 'off' : 'on'}`} disabled={action.isBusy} onClick={() => void turn(name, !enabled)}>
                    {enabled ? 'Turn off' : 'Turn on'}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <SettingsChanges version={version} />
    </>
  );
}
