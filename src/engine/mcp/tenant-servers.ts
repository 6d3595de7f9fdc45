import type { FieldError } from '../../../packages/protocol/errors.js';
import { HIDDEN } from '../../session/tenants/hidden-values.js';
import type { TenantSettings } from '../../session/tenants/tenant-settings.js';
import { requirePublicHost } from '../../platform/ssrf-guard/checked-lookup.js';
import { pointerSegment } from '../../../packages/protocol/message/json-pointer.js';

/** Set by the transport or by Node, or usable for request smuggling. */
const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|upgrade|te|trailer|transfer-encoding|content-.*|accept|accept-encoding|expect|proxy-.*|last-event-id|mcp-.*)$/i;

/** Visible ASCII, spaces and tabs. */
const SENDABLE = /^[\t\x20-\x7e]*$/;

/** Why these servers cannot be a tenant's. A name that resolves to a private address is found only when it is called. */
export function faultsInServers(servers: TenantSettings['mcpServers'], allowPrivate: boolean): readonly FieldError[] {
  return Object.entries(servers).flatMap(([name, { url, headers = {} }]) => {
    const faults = Object.entries(headers).flatMap(([header, value]): readonly FieldError[] => {
      const pointer = `/${pointerSegment(name)}/headers/${pointerSegment(header)}`;
      if (RESERVED_HEADER.test(header)) return [{ pointer, text: 'is set by the server' }];
      // A placeholder without a stored value is its own fault.
      return value === HIDDEN || SENDABLE.test(value) ? [] : [{ pointer, text: 'must contain visible ASCII characters, spaces and tabs only' }];
    });
    return allowPrivate || isPublicHost(url)
      ? faults
      : [
          ...faults,
          {
            pointer: `/${pointerSegment(name)}/url`,
            text: 'must be an address on the public internet, unless the operator allows others by MCP_ALLOW_PRIVATE',
          },
        ];
  });
}

function isPublicHost(url: string): boolean {
  try {
    requirePublicHost(new URL(url));
    return true;
  } catch {
    return false;
  }
}
