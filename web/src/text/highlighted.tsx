import { common, createLowlight } from 'lowlight';
import { Fragment, type ReactNode, useMemo } from 'react';
import { visible } from './deceiving.ts';

/** Code with the colours of its language, as elements: the library gives a tree, and no text becomes markup. A language that it does not know is shown as it is. */
export function Highlighted({ code, lang }: { readonly code: string; readonly lang: string }) {
  return useMemo(() => <>{rendered(code, lang)}</>, [code, lang]);
}

const lowlight = createLowlight(common);
// Ends of file names that the library does not know as aliases.
lowlight.registerAlias({ bash: ['zsh'], xml: ['htm'] });

function rendered(code: string, lang: string): ReactNode {
  if (!lowlight.registered(lang)) return visible(code);
  try {
    return lowlight.highlight(lang, code).children.map(element);
  } catch {
    return visible(code);
  }
}

type Child = ReturnType<typeof lowlight.highlight>['children'][number];

function element(child: Child, index: number): ReactNode {
  if (child.type === 'text') return <Fragment key={index}>{visible(child.value)}</Fragment>;
  if (child.type !== 'element') return null;
  const names = child.properties['className'];
  return (
    <span key={index} className={Array.isArray(names) ? names.join(' ') : undefined}>
      {child.children.map(element)}
    </span>
  );
}
