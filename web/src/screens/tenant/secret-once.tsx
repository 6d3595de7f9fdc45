import type { ReactNode } from 'react';
import { visible } from '../../text/plain.tsx';
import { Copy } from '../../ui/parts.tsx';

/** A secret that the server tells this once: it stays until it is copied and the page is left. */
export function SecretOnce({ secret, children }: { readonly secret: string; readonly children?: ReactNode }) {
  return (
    <div className="secret-once" role="status">
      <p>
        <strong>Shown this once.</strong> Copy it now: the server keeps only its hash.
      </p>
      <div className="secret-once-line">
        <code>{visible(secret)}</code>
        <Copy text={secret} look="primary" />
      </div>
      {children && <p className="aside">{children}</p>}
    </div>
  );
}
