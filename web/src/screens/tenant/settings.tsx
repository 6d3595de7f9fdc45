import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { Badge, Button, ErrorNote, Loading } from '../../ui/parts.tsx';
import { AgentForm } from './agent-form.tsx';
import { SettingsChanges } from './changes.tsx';
import { ConversationsForm } from './conversations-form.tsx';
import { HookForm } from './hook-form.tsx';
import { CodeIn } from './code-in.tsx';
import { ChangesContext, LastChange } from './last-change.tsx';
import { McpForm } from './mcp-form.tsx';
import { PermissionForm } from './permission-form.tsx';
import { SectionNav } from './section-nav.tsx';
import { Switches } from './switches.tsx';

const ORIGINS = { default: 'the default', deployment: 'the deployment', tenant: 'the tenant' } as const;

/** What the tenant has set, and what the deployment decides where it has not. */
export function Settings() {
  const client = useClient();
  const settings = useLoad((signal) => client.getSettings({}, { signal }), [client]);
  const gates = useLoad((signal) => client.listGates({}, { signal }), [client]);
  const version = settings.data?.version;
  const changes = useLoad((signal) => client.listSettingsChanges({ limit: 100 }, { signal }), [client, version]);
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
  const { permissions, agents, mcpServers, hooks, hookSecret } = settings.data;
  return (
    <ChangesContext value={changes.data?.data ?? []}>
      <div className="settings">
        <SectionNav />
        <div className="settings-column">
          <ErrorNote error={action.error} onClose={action.clear} />
          <ConversationsForm settings={settings.data} onSaved={settings.reload} />
          <PermissionForm permissions={permissions} version={settings.data.version} onSaved={settings.reload} />
          <AgentForm agents={agents} version={settings.data.version} onSaved={settings.reload} />
          <McpForm servers={mcpServers} version={settings.data.version} onSaved={settings.reload} />
          <HookForm hooks={hooks} hasSecret={hookSecret !== null} version={settings.data.version} onSaved={settings.reload} />
          <Switches onSaved={settings.reload} />
          <section className="card" aria-label="Feature gates">
            <div className="settings-head">
              <h2>Feature gates</h2>
              <LastChange sections={['gates']} />
            </div>
            <p className="aside">Optional behaviour of the server, on or off for the whole tenant. A change takes effect at once.</p>
            <table className="table middle row-actions gates" aria-label="Feature gates">
              <thead>
                <tr>
                  <th scope="col">Gate</th>
                  <th scope="col">In force</th>
                  <th scope="col">Comes from</th>
                  <th scope="col">
                    <span className="hidden">Set</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {(gates.data?.data ?? []).map(({ name, enabled, source, description }) => (
                  <tr key={name}>
                    <th scope="row">
                      {name}{' '}
                      <p className="aside">
                        <CodeIn text={description} />
                      </p>
                    </th>
                    <td data-label="In force">{enabled ? <Badge tone="good">on</Badge> : <Badge>off</Badge>}</td>
                    <td data-label="Comes from" className="aside">
                      {ORIGINS[source]}
                    </td>
                    <td className="row-action">
                      <Button aria-label={`Turn ${name} ${enabled ? 'off' : 'on'}`} disabled={action.isBusy} onClick={() => void turn(name, !enabled)}>
                        {enabled ? 'Turn off' : 'Turn on'}
                      </Button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          <SettingsChanges version={settings.data.version} />
        </div>
      </div>
    </ChangesContext>
  );
}
