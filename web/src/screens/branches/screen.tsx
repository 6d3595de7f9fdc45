export function BranchesScreen(_: { readonly id?: string; readonly version?: number; readonly requestId?: string }) {
  return null;
}
