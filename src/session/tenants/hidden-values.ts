import type { FieldError } from '../../../packages/protocol/errors.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import type { TenantSettings } from './tenant-settings.js';
import { pointerSegment } from '../../../packages/protocol/message/json-pointer.js';

/** Placeholder for a secret in responses: secrets can be written, never read. */
export const HIDDEN = '•••';

type Headers = Readonly<Record<string, string>>;
type Servers = TenantSettings['mcpServers'];

const object = (value: unknown): { readonly [key: string]: Json } | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as { readonly [key: string]: Json }) : null;

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);

/** The settings as the API returns them, with secrets hidden. */
export function withoutSecrets(settings: TenantSettings): TenantSettings {
  const servers = Object.entries(settings.mcpServers).map(([name, server]) => [name, server.headers ? { ...server, headers: hide(server.headers) } : server]);
  return {
    ...settings,
    hooks: eachHook(settings.hooks, (hook) => (object(hook['headers']) ? { ...hook, headers: hide(hook['headers'] as Headers) } : hook)),
    hookSecret: settings.hookSecret === null ? null : HIDDEN,
    upstreamKey: settings.upstreamKey === null ? null : HIDDEN,
    mcpServers: Object.fromEntries(servers),
  };
}

/**
 * Replaces placeholders in `changes` by the stored secrets, so that settings can be read, edited and written back. Only where the URL is unchanged: a stored
 * secret is never sent to another address.
 */
export function withSecrets(
  changes: Partial<TenantSettings>,
  stored: TenantSettings,
): { readonly changes: Partial<TenantSettings>; readonly faults: readonly FieldError[] } {
  const faults: FieldError[] = [];
  const fill = (given: Headers, known: Headers, pointer: string): Headers =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => {
        if (value !== HIDDEN) return [name, value];
        if (!Object.hasOwn(known, name))
          faults.push({
            pointer: `${pointer}/headers/${pointerSegment(name)}`,
            text: 'is the placeholder of a hidden value, but no value is stored for this URL; send the value itself',
          });
        return [name, known[name] ?? HIDDEN];
      }),
    );
  const { upstreamKey, ...others } = changes;
  const { hooks, mcpServers } = others;
  // The placeholder changes nothing: what is stored may have changed since it was read.
  if (upstreamKey === HIDDEN && stored.upstreamKey === null) {
    faults.push({ pointer: '/upstreamKey', text: 'is the placeholder of a hidden value, but no value is stored; send the value itself' });
  }
  return {
    changes: {
      ...others,
      ...(upstreamKey === undefined || upstreamKey === HIDDEN ? {} : { upstreamKey }),
      ...(hooks ? { hooks: fillHooks(hooks, headersByUrl(stored.hooks), fill) } : {}),
      ...(mcpServers ? { mcpServers: fillServers(mcpServers, stored.mcpServers, fill) } : {}),
    },
    faults,
  };
}

type Fill = (given: Headers, known: Headers, pointer: string) => Headers;

function fillServers(servers: Servers, stored: Servers, fill: Fill): Servers {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      const known = Object.hasOwn(stored, name) && stored[name]?.url === server.url ? stored[name]?.headers : undefined;
      return [name, server.headers ? { ...server, headers: fill(server.headers, known ?? {}, `/mcpServers/${name}`) } : server];
    }),
  );
}

function fillHooks(hooks: TenantSettings['hooks'], known: ReadonlyMap<string, Headers>, fill: Fill): TenantSettings['hooks'] {
  return eachHook(hooks, (hook, pointer) => {
    const { url, headers } = hook;
    if (!object(headers)) return hook;
    return { ...hook, headers: fill(headers as Headers, (typeof url === 'string' ? known.get(url) : undefined) ?? {}, `/hooks${pointer}`) };
  });
}

function headersByUrl(hooks: TenantSettings['hooks']): ReadonlyMap<string, Headers> {
  const found = new Map<string, Headers>();
  eachHook(hooks, (hook) => {
    const { url, headers } = hook;
    if (typeof url === 'string' && object(headers)) found.set(url, { ...found.get(url), ...(headers as Headers) });
    return hook;
  });
  return found;
}

const hide = (headers: Headers): Headers => Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN]));

/** Maps every hook. Values of another shape are left unchanged; validation reports them. */
function eachHook(
  hooks: TenantSettings['hooks'],
  change: (hook: { readonly [key: string]: Json }, pointer: string) => { readonly [key: string]: Json },
): TenantSettings['hooks'] {
  const inGroup = (group: Json, pointer: string): Json => {
    const known = object(group);
    if (!known || !Array.isArray(known['hooks'])) return group;
    return { ...known, hooks: known['hooks'].map((hook: Json, index: number) => (object(hook) ? change(object(hook)!, `${pointer}/hooks/${index}`) : hook)) };
  };
  return Object.fromEntries(
    Object.entries(hooks).map(([event, groups]) => [
      event,
      Array.isArray(groups) ? list(groups).map((group, index) => inGroup(group, `/${event}/${index}`)) : groups,
    ]),
  );
}
