import { lazy, Suspense } from 'react';
import { visible } from './deceiving.ts';

const Formula = lazy(async () => ({ default: (await import('./formula.tsx')).Formula }));

export interface FormulaProps {
  readonly text: string;
  /** As it was written, with what marks it as a formula. */
  readonly raw: string;
  readonly isBlock: boolean;
}

/** A formula, as its TeX until what lays it out is there. */
export function Math(props: FormulaProps) {
  return (
    <Suspense fallback={<code>{visible(props.raw)}</code>}>
      <Formula {...props} />
    </Suspense>
  );
}
