import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly failed: boolean;
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  readonly services: ReadonlySet<string>;
  close(): Promise<void>;
}

interface Value {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}
interface Traces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Value[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'attributes' | 'events' | 'failed'> & {
        readonly attributes?: readonly Value[];
        readonly events?: readonly { readonly name: string }[];
        readonly status?: { readonly code?: number };
      })[];
    }[];
  }[];
}

/** An OpenTelemetry collector that takes spans as JSON over HTTP and keeps them. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const services = new Set<string>();
  const valuesOf = (values: readonly Value[] = []) => Object.fromEntries(values.map(({ key, value }) => [key, value.stringValue ?? '']));
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      for (const { resource, scopeSpans } of (JSON.parse(body) as Traces).resourceSpans) {
        services.add(valuesOf(resource.attributes)['service.name'] ?? '');
        for (const { attributes, events = [], status, ...span } of scopeSpans.flatMap((scope) => scope.spans)) {
          spans.push({ ...span, attributes: valuesOf(attributes), events: events.map(({ name }) => name), failed: status?.code === 2 });
        }
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    services,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
