/** Widths of the lines, in percent: no two neighbours are alike. */
const WIDTHS = [92, 64, 78, 45, 86, 58];
const LINES = { lines: 6, rows: 7, bubbles: 3, cards: 3 } as const;

export type Shape = keyof typeof LINES;

interface Props {
  /** What is being loaded, which is said once, to those who hear the page. */
  readonly what: string;
  /** Of what comes: lines of text, rows of a list or a table, prompts with answers, or cards. */
  readonly shape?: Shape;
}

/** Stands where something is being loaded, in its shape. It is seen only when that takes a moment. */
export function Loading({ what, shape = 'rows' }: Props) {
  return (
    <div className={`loading bones ${shape}`} role="status">
      <span className="hidden">Loading {what}…</span>
      {Array.from({ length: LINES[shape] }, (_, index) => (
        <div key={index} className="bone-row" aria-hidden="true">
          {shape !== 'lines' && <span className="bone" data-width={WIDTHS[(index + 3) % WIDTHS.length]} />}
          <span className="bone" data-width={WIDTHS[index % WIDTHS.length]} />
          {shape === 'bubbles' && <span className="bone" data-width={WIDTHS[(index + 1) % WIDTHS.length]} />}
        </div>
      ))}
    </div>
  );
}

/** In place of one text. */
export function Bone({ what }: { readonly what: string }) {
  return (
    <span className="bone-text">
      <span className="hidden">{what}</span>
      <span className="bone" aria-hidden="true" />
    </span>
  );
}
