import { lazy, type ReactNode, Suspense } from 'react';
import { visible } from './deceiving.ts';
import { Plain } from './plain.tsx';

/** Characters of code beyond which it is shown without colours: each token is an element. */
export const COLOURS_LIMIT = 20_000;

const Highlighted = lazy(async () => ({ default: (await import('./highlighted.tsx')).Highlighted }));
const Terminal = lazy(async () => ({ default: (await import('./terminal.tsx')).Terminal }));

/** Code, with colours as soon as what makes them is there. */
export function Code({ code, lang }: { readonly code: string; readonly lang: string }): ReactNode {
  if (lang === '' || code.length > COLOURS_LIMIT) return visible(code);
  return (
    <Suspense fallback={visible(code)}>
      <Highlighted code={code} lang={lang} />
    </Suspense>
  );
}

/** The language of a file: the end of its name, which is the name of a language or an alias of one. Empty: the name has no end. */
export const languageOf = (path: string): string => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

/** The output of a program: with its colours when it has any. */
export function Output({ text }: { readonly text: string }) {
  const plain = <Plain text={text} className="mono" />;
  if (!text.includes('\u001b[')) return plain;
  return (
    <Suspense fallback={plain}>
      <Terminal text={text} />
    </Suspense>
  );
}
