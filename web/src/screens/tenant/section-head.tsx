import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** What is listed below, in a sentence. */
  readonly about: ReactNode;
  /** What a person may do about all of it. */
  readonly children?: ReactNode;
}

/** The head of a view of the tenant: what it lists, and its one main action at the right. */
export function SectionHead({ title, about, children }: Props) {
  return (
    <div className="section-head">
      <div>
        <h2>{title}</h2>
        <p className="aside">{about}</p>
      </div>
      {children}
    </div>
  );
}
