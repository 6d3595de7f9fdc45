import { useEffect, useRef, useState } from 'react';

/** Pixels from the top of the page to the line where it is read. */
const TOP = 60;

/** The sections of the page beside this, to jump to: those that have a name. */
export function SectionNav() {
  const nav = useRef<HTMLElement>(null);
  const [names, setNames] = useState<readonly string[]>([]);
  const [current, setCurrent] = useState<string | null>(null);
  /** Jumped to, until the page is scrolled away from its end. */
  const chosen = useRef<string | null>(null);
  const sections = (): HTMLElement[] => [...(nav.current?.parentElement?.querySelectorAll<HTMLElement>('.card[aria-label]') ?? [])];
  useEffect(() => {
    const scroller = nav.current!.closest('.page')!;
    // The section at the top of the page is the one that is read; at its end the last ones cannot get there, and one of them may have been chosen.
    const mark = (): void => {
      const isAtEnd = scroller.scrollTop > 0 && scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2;
      const top = scroller.getBoundingClientRect().top + TOP;
      const all = sections();
      const read = isAtEnd
        ? (all.find((one) => one.ariaLabel === chosen.current && one.getBoundingClientRect().bottom > top) ?? all.at(-1))
        : (all.findLast((one) => one.getBoundingClientRect().top <= top) ?? all[0]);
      if (!isAtEnd) chosen.current = null;
      setCurrent(read?.ariaLabel ?? null);
    };
    scroller.addEventListener('scroll', mark, { passive: true });
    let wanted = decodeURIComponent(location.hash.slice(1));
    const read = (): void => {
      setNames(sections().map((one) => one.ariaLabel ?? ''));
      // An address may name the section that it is about.
      const named = wanted === '' ? undefined : sections().find((one) => one.ariaLabel === wanted);
      if (named) {
        wanted = '';
        chosen.current = named.ariaLabel;
        void named.scrollIntoView({ block: 'start' });
      }
      mark();
    };
    read();
    // Sections come when what they show is read.
    const observer = new MutationObserver(read);
    observer.observe(nav.current!.parentElement!.lastElementChild!, { childList: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', mark);
    };
  }, []);
  return (
    <nav ref={nav} className="section-nav" aria-label="Sections of the settings">
      {names.map((name) => (
        <button
          key={name}
          type="button"
          aria-current={name === current ? 'true' : undefined}
          onClick={() => {
            chosen.current = name;
            setCurrent(name);
            void sections()
              .find((one) => one.ariaLabel === name)
              ?.scrollIntoView({ block: 'start' });
          }}
        >
          {name}
        </button>
      ))}
    </nav>
  );
}
