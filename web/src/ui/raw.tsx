import { Component, type ReactNode } from 'react';
import { Json } from './parts.tsx';

/** Something that this page does not know, as it is stored. */
export function Raw({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <details className="unknown">
      <summary>{title.replaceAll('_', ' ')}</summary>
      <Json value={value} label={title} />
    </details>
  );
}

interface Props {
  readonly title: string;
  readonly value: unknown;
  readonly children: ReactNode;
}

/** Shows `value` as it is stored when it is not of the shape that the page expects: a newer server may send other ones. */
export class RawBoundary extends Component<Props, { readonly isUnknown: boolean }> {
  override state = { isUnknown: false };

  static getDerivedStateFromError(): { readonly isUnknown: boolean } {
    return { isUnknown: true };
  }

  override render(): ReactNode {
    const { title, value, children } = this.props;
    return this.state.isUnknown ? <Raw title={title} value={value} /> : children;
  }
}
