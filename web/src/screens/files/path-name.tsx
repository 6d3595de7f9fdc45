import { nameOf } from './name.ts';

/** The path of a file, its folder quieter than its name. */
export function PathName({ path }: { readonly path: string }) {
  const at = path.lastIndexOf('/') + 1;
  return (
    <bdi className="mono grow">
      {at > 0 && <span className="aside">{nameOf(path.slice(0, at))}</span>}
      {nameOf(path.slice(at))}
    </bdi>
  );
}
