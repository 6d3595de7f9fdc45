export function Accesses(_: { readonly id: string; readonly version: number }) {
  return null;
}
