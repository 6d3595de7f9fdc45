export function AuditScreen(_: { readonly id?: string; readonly version?: number; readonly requestId?: string }) {
  return null;
}
