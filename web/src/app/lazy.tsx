import { type ComponentType, type ReactNode, lazy, Suspense } from 'react';
import { Loading } from '../ui/skeleton.tsx';

/** A screen that is fetched when it is first shown. `meanwhile`: what stands in its place until then. */
export function Lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile: ReactNode = <Loading what="the view" />,
): ComponentType<Props> {
  const Component = lazy(() => load().then((loaded) => ({ default: loaded })));
  return function LazyScreen(props: Props) {
    return (
      <Suspense fallback={meanwhile}>
        <Component {...props} />
      </Suspense>
    );
  };
}
