import { dayOf } from '../../app/words.ts';

export interface Series {
  readonly name: string;
  /** A value for each column. */
  readonly values: readonly number[];
}

interface Props {
  readonly label: string;
  /** Of the columns, in their order: the last is today. */
  readonly days: readonly string[];
  /** From the base of the columns to their top. */
  readonly series: readonly Series[];
  readonly inWords: (value: number) => string;
  /** The smallest distance between two lines of the axis: 1 for what is counted. */
  readonly step: number;
}

/** So many series have a colour of their own. */
export const COLOURS = 6;

/** About so many columns are labelled. */
const LABELS = 6;
const HEIGHT = 100;
const WIDTH = 10;

/** Columns of parts from a common base, with an axis. What is not seen here has to be said as a table beside it. */
export function StackedPlot({ label, days, series, inWords, step }: Props) {
  const sums = days.map((_, at) => sum(series.map(({ values }) => values[at] ?? 0)));
  const lines = linesFor(Math.max(0, ...sums), step);
  const top = lines.at(-1)!;
  const every = Math.max(1, Math.round(days.length / LABELS));
  const yOf = (value: number): number => HEIGHT - (HEIGHT * value) / top;
  return (
    <figure className="plot">
      <div className="plot-area">
        <div className="plot-axis" aria-hidden="true">
          {lines.toReversed().map((value) => (
            <span key={value}>{inWords(value)}</span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${days.length * WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${label}: at most ${inWords(Math.max(0, ...sums))} on a day`}
        >
          {lines.map((value) => (
            <line key={value} x1={0} x2={days.length * WIDTH} y1={yOf(value)} y2={yOf(value)} />
          ))}
          {days.map((day, at) => (
            <g key={day}>
              {partsOf(series, at).map(({ name, index, from, to }) => (
                <rect key={name} className={`series-${index}`} x={at * WIDTH + 1} width={WIDTH - 2} y={yOf(to)} height={heightOf(yOf(from) - yOf(to))}>
                  <title>{`${day}, ${name}: ${inWords(to - from)}`}</title>
                </rect>
              ))}
            </g>
          ))}
        </svg>
      </div>
      <div className="plot-days" aria-hidden="true">
        {days.map((day, at) => (
          <span key={day}>{at === days.length - 1 ? 'today' : at % every === 0 && at + every < days.length ? dayOf(day) : ''}</span>
        ))}
      </div>
      <ul className="legend">
        {series.map(({ name, values }, index) => (
          <li key={name}>
            <span className={`swatch series-${index}`} /> {name}: {inWords(sum(values))}
          </li>
        ))}
      </ul>
    </figure>
  );
}

interface Part {
  readonly name: string;
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

function partsOf(series: readonly Series[], at: number): readonly Part[] {
  let from = 0;
  return series.flatMap(({ name, values }, index) => {
    const value = values[at] ?? 0;
    if (value === 0) return [];
    const part = { name, index, from, to: from + value };
    from = part.to;
    return [part];
  });
}

/** What is not nothing is seen; between parts that are high enough is a gap, which tells them apart without their colours. */
const heightOf = (height: number): number => (height > 4 ? height - 1 : Math.max(height, 1));

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Values of the lines of an axis, from 0 to at least `most`: at most four steps of 1, 2 or 5 times a power of ten. */
function linesFor(most: number, smallest: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(most / 4 || 1));
  const wanted = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one * 4 >= most) ?? 1;
  const step = Math.max(smallest, wanted);
  // Multiples, so that no error adds up.
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, index) => index * step);
}
