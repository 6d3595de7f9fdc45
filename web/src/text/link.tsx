import type { ReactNode } from 'react';
import { visible } from './deceiving.ts';

/** A link that is not to the web or a mail address is text, with its target. */
export function Link({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const url = URL.canParse(href) ? new URL(href) : null;
  if (url === null || !['http:', 'https:', 'mailto:'].includes(url.protocol)) {
    return (
      <>
        {children} <span className="target">({visible(href)})</span>
      </>
    );
  }
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow" title={url.href}>
      {children}
    </a>
  );
}
