import { useEffect, useRef, useState } from 'react';

/** The sections of the page beside this, to jump to: those that have a name. */
export function SectionNav() {
  const nav = useRef<HTMLElement>(null);
  const [names, setNames] = useState<readonly string[]>([]);
  const sections = (): HTMLElement[] => [...(nav.current?.parentElement?.querySelectorAll<HTMLElement>('.card[aria-label]') ?? [])];
  useEffect(() => {
    const read = (): void => setNames(sections().map((one) => one.ariaLabel ?? ''));
    read();
    // Sections come when what they show is read.
    const observer = new MutationObserver(read);
    observer.observe(nav.current!.parentElement!.lastElementChild!, { childList: true });
    return () => observer.disconnect();
  }, []);
  return (
    <nav ref={nav} className="section-nav" aria-label="Sections of the settings">
      {names.map((name) => (
        <button
          key={name}
          type="button"
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
