import { diffWordsWithSpace } from 'diff';
import { useMemo, useState } from 'react';
import { visible } from './deceiving.ts';
import { changedLines } from './diff.tsx';

interface Props {
  readonly before: string;
  readonly after: string;
  /** What the sides are called. */
  readonly labels: readonly [left: string, right: string];
  readonly label: string;
  /** One half over the other also in a wide window. */
  readonly isStacked?: boolean;
  /** Neither text came after the other: nothing was taken away or put in. In a narrow window each side has its label. */
  readonly isNeutral?: boolean;
}

interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}
type Line = readonly Piece[];

/** Lines that both have, or lines in place of others. */
type Hunk = { readonly same: readonly string[] } | { readonly taken: readonly Line[]; readonly put: readonly Line[] };

/** Equal lines beside a change; the others are folded. */
const CONTEXT = 2;
/** Lines of one side of a change that are laid out at once. */
const LINES = 200;
/** Longer changes are not compared word by word. */
const WORDS_LIMIT = 10_000;
const TIMEOUT_MS = 200;

/** Two texts line by line, side by side; one over the other in a narrow window. Signs say what was taken away and what was put in, and marks which words. */
export function SplitDiff({ before, after, labels, label, isStacked = false, isNeutral = false }: Props) {
  const hunks = useMemo(() => hunksOf(before, after), [before, after]);
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={`split mono ${isStacked ? 'stacked' : ''} ${isNeutral ? 'neutral' : ''}`} tabIndex={0} role="region" aria-label={label}>
      <div className="split-labels">
        <span>
          <span aria-hidden="true">− </span>
          {labels[0]}
        </span>
        <span>
          <span aria-hidden="true">+ </span>
          {labels[1]}
        </span>
      </div>
      {hunks.map((hunk, at) => {
        if ('same' in hunk) {
          const first = at === 0 ? 0 : CONTEXT;
          const last = at === hunks.length - 1 ? 0 : CONTEXT;
          const hidden = hunk.same.length - first - last;
          if (hidden < 2 || unfolded.has(at)) return <Same key={at} lines={hunk.same} isIndented={!isNeutral} />;
          return (
            <div key={at} className="split-part">
              <Same lines={hunk.same.slice(0, first)} isIndented={!isNeutral} />
              <button type="button" className="split-fold" onClick={() => setUnfolded(new Set([...unfolded, at]))}>
                ⋯ {hidden} equal lines
              </button>
              <Same lines={hunk.same.slice(hunk.same.length - last)} isIndented={!isNeutral} />
            </div>
          );
        }
        return (
          <div key={at} className="split-row">
            <Changed lines={hunk.taken} {...(isNeutral ? { side: labels[0] } : { sign: '−' })} />
            <Changed lines={hunk.put} {...(isNeutral ? { side: labels[1] } : { sign: '+' })} />
          </div>
        );
      })}
    </div>
  );
}

function Same({ lines, isIndented }: { readonly lines: readonly string[]; readonly isIndented: boolean }) {
  if (lines.length === 0) return null;
  const shown = lines.slice(0, LINES);
  return (
    <div className="split-row same">
      {[false, true].map((isCopy) => (
        <div key={String(isCopy)} className={isCopy ? 'not-phone' : undefined} aria-hidden={isCopy}>
          {shown.map((line, index) => (
            <span key={index}>{`${isIndented ? '  ' : ''}${visible(line)}`}</span>
          ))}
          {lines.length > LINES && <span>⋯ {lines.length - LINES} more</span>}
        </div>
      ))}
    </div>
  );
}

type ChangedProps = { readonly lines: readonly Line[] } & ({ readonly sign: '−' | '+' } | { readonly side: string });

function Changed({ lines, ...of }: ChangedProps) {
  if (lines.length === 0) return <div className="none" />;
  const sign = 'sign' in of ? of.sign : ' ';
  const Whole = sign === '+' ? 'ins' : sign === '−' ? 'del' : 'span';
  return (
    <div className={{ '+': 'put', '−': 'taken', ' ': 'differs' }[sign]} data-side={'side' in of ? of.side : undefined}>
      {lines.slice(0, LINES).map((line, index) => (
        <Whole key={index} className={line.every(({ text }) => text === '') ? 'blank' : undefined}>
          {sign !== ' ' && `${sign} `}
          {line.map(({ text, isChanged }, piece) => (isChanged ? <mark key={piece}>{visible(text)}</mark> : visible(text)))}
        </Whole>
      ))}
      {lines.length > LINES && <span className="aside">⋯ {lines.length - LINES} more lines</span>}
    </div>
  );
}

const whole = (value: string): readonly Line[] => textLines(value).map((text) => [{ text, isChanged: false }]);
const textLines = (value: string): readonly string[] => value.replace(/\n$/, '').split('\n');

function hunksOf(before: string, after: string): readonly Hunk[] {
  const hunks: Hunk[] = [];
  const parts = changedLines(`${before}\n`, `${after}\n`);
  for (let at = 0; at < parts.length; at += 1) {
    const { value, added, removed } = parts[at]!;
    const next = parts[at + 1];
    if (removed && next?.added) {
      hunks.push(inWords(value, next.value));
      at += 1;
    } else if (removed) hunks.push({ taken: whole(value), put: [] });
    else if (added) hunks.push({ taken: [], put: whole(value) });
    else hunks.push({ same: textLines(value) });
  }
  return hunks;
}

/** Lines in place of others, with the words that differ; without marks where hardly a word is the same. */
function inWords(before: string, after: string): Hunk {
  const all = { taken: whole(before), put: whole(after) };
  if (before.length + after.length > WORDS_LIMIT) return all;
  const parts = diffWordsWithSpace(before, after, { timeout: TIMEOUT_MS });
  if (!parts) return all;
  const alike = parts.reduce((sum, { value, added, removed }) => (added || removed ? sum : sum + value.trim().length), 0);
  if (alike * 3 < Math.min(before.length, after.length)) return all;
  return { taken: marked(parts.filter(({ added }) => !added)), put: marked(parts.filter(({ removed }) => !removed)) };
}

function marked(parts: readonly { readonly value: string; readonly added?: boolean; readonly removed?: boolean }[]): readonly Line[] {
  const lines: Piece[][] = [[]];
  for (const { value, added, removed } of parts) {
    value.split('\n').forEach((text, index) => {
      if (index > 0) lines.push([]);
      if (text !== '') lines.at(-1)!.push({ text, isChanged: added === true || removed === true });
    });
  }
  if (lines.length > 1 && lines.at(-1)!.length === 0) lines.pop();
  return lines;
}
