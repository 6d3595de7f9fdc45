import { type ComponentType, lazy, Suspense } from 'react';
import { Loading } from '../ui/parts.tsx';

/** A screen that is fetched when it is first shown. */
export function Lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Component = lazy(() => load().then((loaded) => ({ default: loaded })));
  return function LazyScreen(props: Props) {
    return (
      <Suspense fallback={<Loading what="the view" />}>
        <Component {...props} />
      </Suspense>
    );
  };
}
