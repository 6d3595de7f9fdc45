import { nameOf } from './name.ts';

/** The path of a file on one line: its folder is quieter than its name, and is shortened first where there is no room. */
export function PathName({ path }: { readonly path: string }) {
  const at = path.lastIndexOf('/') + 1;
  return (
    <bdi className="mono grow path-name" title={nameOf(path)}>
      {at > 0 && (
        <>
          <span className="aside">{nameOf(path.slice(0, at - 1))}</span>
          <span className="aside slash">/</span>
        </>
      )}
      <span>{nameOf(path.slice(at))}</span>
    </bdi>
  );
}
