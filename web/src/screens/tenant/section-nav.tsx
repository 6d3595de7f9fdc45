import { useEffect, useRef, useState } from 'react';

/** The sections of the page beside this, to jump to: those that have a name. */
export function SectionNav() {
  const nav = useRef<HTMLElement>(null);
  const [names, setNames] = useState<readonly string[]>([]);
  const [current, setCurrent] = useState<string | null>(null);
  const sections = (): HTMLElement[] => [...(nav.current?.parentElement?.querySelectorAll<HTMLElement>('.card[aria-label]') ?? [])];
  useEffect(() => {
    // The section at the top of the page is the one that is read.
    const inView = new IntersectionObserver(
      (entries) => {
        const first = entries.find(({ isIntersecting }) => isIntersecting);
        if (first) setCurrent(first.target.ariaLabel);
      },
      { rootMargin: '-130px 0px -70% 0px' },
    );
    let wanted = decodeURIComponent(location.hash.slice(1));
    const read = (): void => {
      setNames(sections().map((one) => one.ariaLabel ?? ''));
      sections().forEach((one) => inView.observe(one));
      // An address may name the section that it is about.
      const named = wanted === '' ? undefined : sections().find((one) => one.ariaLabel === wanted);
      if (named) {
        wanted = '';
        void named.scrollIntoView({ block: 'start' });
      }
    };
    read();
    // Sections come when what they show is read.
    const observer = new MutationObserver(read);
    observer.observe(nav.current!.parentElement!.lastElementChild!, { childList: true });
    return () => {
      observer.disconnect();
      inView.disconnect();
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
