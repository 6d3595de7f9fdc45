export function TenantScreen(_: { readonly id?: string; readonly version?: number; readonly requestId?: string }) {
  return null;
}
