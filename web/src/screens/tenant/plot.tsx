export interface Column {
  readonly label: string;
  readonly value: number;
}

interface Props {
  readonly columns: readonly Column[];
  readonly inWords: (value: number) => string;
  readonly label: string;
}

/** Columns from a common base, each with its value as a tooltip; the same as a table for those who do not see it. */
export function Plot({ columns, inWords, label }: Props) {
  const most = Math.max(...columns.map(({ value }) => value), Number.MIN_VALUE);
  const [width, height] = [columns.length * 10, 100];
  return (
    <figure className="plot">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: at most ${inWords(most > Number.MIN_VALUE ? most : 0)}`}
      >
        {columns.map(({ label: day, value }, index) => (
          <rect key={day} x={index * 10 + 1} width={8} y={height - (height * value) / most} height={Math.max(value > 0 ? 1 : 0, (height * value) / most)}>
            <title>
              {day}: {inWords(value)}
            </title>
          </rect>
        ))}
      </svg>
      <figcaption className="aside">
        <span>{columns[0]?.label}</span>
        <span>{columns.at(-1)?.label}</span>
      </figcaption>
      <table className="hidden">
        <caption>{label}</caption>
        <tbody>
          {columns.map(({ label: day, value }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              <td>{inWords(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
