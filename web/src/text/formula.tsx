import { createElement, Fragment, type ReactNode, useMemo } from 'react';
import temml from 'temml';
import { visible } from './deceiving.ts';
import type { FormulaProps } from './math.tsx';

/** A formula as MathML. The library gives a tree, of which elements are made; one that it cannot read, or that hides text, is shown as it was written. */
export function Formula({ text, raw, isBlock }: FormulaProps) {
  const formula = useMemo(() => rendered(text, isBlock), [text, isBlock]);
  if (formula === null) return <code title="This formula cannot be read.">{visible(raw)}</code>;
  if (!isBlock) return formula;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <span className="formula" tabIndex={0} role="region" aria-label="Formula">
      {formula}
    </span>
  );
}

/** A node of the library: an element, a text, or a fragment, which has no type. */
interface Node {
  readonly type?: string;
  readonly text?: string;
  readonly children?: readonly Node[];
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** Elements of one formula; macros can make many of a short text. */
const LIMIT = 5_000;

function rendered(text: string, displayMode: boolean): ReactNode {
  if (visible(text) !== text) return null;
  try {
    const budget = { left: LIMIT };
    const tree = temml.__renderToMathMLTree(text, { displayMode, throwOnError: true, trust: false, strict: false, maxSize: [20, 20], maxExpand: 500 }) as Node;
    return element(tree, 0, budget);
  } catch {
    return null;
  }
}

const ELEMENTS = new Set(
  'math merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  'accent accentunder columnalign columnlines columnspacing depth display displaystyle fence form height largeop linethickness lspace mathvariant maxsize minsize movablelimits rowlines rowspacing rspace scriptlevel separator stretchy symmetric voffset width'.split(
    ' ',
  ),
);

/** Elements and attributes of MathML that lay out text; of any other element what is in it. */
function element(node: Node, key: number, budget: { left: number }): ReactNode {
  if ((budget.left -= 1) < 0) throw new Error('The formula is too large.');
  if (typeof node.text === 'string') return node.text;
  const children = (node.children ?? []).map((child, index) => element(child, index, budget));
  if (node.type === undefined || !ELEMENTS.has(node.type)) return <Fragment key={key}>{children}</Fragment>;
  const attributes = Object.entries(node.attributes ?? {}).filter(([name]) => ATTRIBUTES.has(name));
  return createElement(node.type, { key, ...Object.fromEntries(attributes) }, ...children);
}
