import { useEffect, useRef } from 'react';
import { Link } from '../../app/router.tsx';
import { useTranscript } from './context.tsx';

/** `‹ 2/3 ›` at a message with other versions. Those who may not write see only how many there are. */
export function VersionSwitch({ uuid }: { readonly uuid: string }) {
  const { id, versions, canWrite, turn, onSwitch, switched } = useTranscript();
  const group = useRef<HTMLSpanElement>(null);
  const of = versions.get(uuid);
  // The message whose button was pressed is gone: the version that came takes its place, and the focus.
  useEffect(() => {
    const before = switched.current;
    if (before?.uuid !== uuid || !group.current) return;
    switched.current = null;
    const buttons = [...group.current.querySelectorAll('button')];
    const [wanted, other] = before.step < 0 ? buttons : buttons.toReversed();
    (wanted?.disabled ? other : wanted)?.focus({ preventScroll: true });
    if (before.top !== null) group.current.closest('.transcript')!.scrollTop += group.current.getBoundingClientRect().top - before.top;
  });
  if (!of) return null;
  const number = of.tips.indexOf(null) + 1;
  const count = of.tips.length;
  const label = `Version ${number} of ${count}`;
  const places = `${number}/${count}`;
  if (!canWrite) {
    return (
      <Link className="versions" to={`/sessions/${id}/branches`} aria-label={`${label}: all branches`} title={label}>
        {places}
      </Link>
    );
  }
  const isBusy = turn !== null;
  const show = (step: -1 | 1): void => onSwitch(of, step, group.current!.getBoundingClientRect().top);
  return (
    <span ref={group} className="versions" role="group" aria-label={label} title={isBusy ? `${label}. Others can be shown when the answer has ended.` : label}>
      <button type="button" className="action" aria-label="Previous version" disabled={isBusy || number === 1} onClick={() => show(-1)}>
        ‹
      </button>
      <span>{places}</span>
      <button type="button" className="action" aria-label="Next version" disabled={isBusy || number === count} onClick={() => show(1)}>
        ›
      </button>
    </span>
  );
}
