import { Component, type ReactNode } from 'react';
import { Button } from '../ui/parts.tsx';

/** A fault of this page in one view: the rest stays usable. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error: Error | null }> {
  override state = { error: null };

  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const error: Error | null = this.state.error;
    if (error === null) return this.props.children;
    return (
      <div className="note bad" role="alert">
        <div>
          <strong>This view cannot be shown.</strong> {(error as Error).message}
        </div>
        <Button onClick={() => this.setState({ error: null })}>Try again</Button>
      </div>
    );
  }
}
