import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace that begins here. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 2 = server, 3 = client, 5 = consumer, 1 = none of them. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Of the process that sent it. */
  readonly resource: Readonly<Record<string, unknown>>;
  /** `at`: milliseconds since the epoch. */
  readonly events: readonly { readonly name: string; readonly at: number }[];
  readonly failed: boolean;
}

/** Takes spans over OTLP/HTTP as JSON, as any collector does. */
export interface TraceCollector {
  readonly url: string;
  /** What a process has to be told to send its spans here, and soon. */
  readonly environment: Readonly<Record<string, string>>;
  readonly spans: readonly CollectedSpan[];
  readonly connections: () => number;
  /** The first span that is meant, now or when it comes. */
  span(meant: (span: CollectedSpan) => boolean): Promise<CollectedSpan>;
  close(): Promise<void>;
}

export async function startCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const waiting = new Set<() => void>();
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        spans.push(...collected(JSON.parse(Buffer.concat(chunks).toString()) as Export));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
        for (const look of waiting) look();
      });
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_BSP_SCHEDULE_DELAY: '50' },
    spans,
    connections: () => connections,
    span: (meant) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = spans.find(meant);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Value {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly doubleValue?: number;
  readonly intValue?: number | string;
  readonly arrayValue?: { readonly values: readonly Value[] };
}

type KeyValues = readonly { readonly key: string; readonly value: Value }[];

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: KeyValues };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly name: string;
        readonly kind: number;
        readonly attributes?: KeyValues;
        readonly events?: readonly { readonly name: string; readonly timeUnixNano: string }[];
        readonly status?: { readonly code?: number };
      }[];
    }[];
  }[];
}

function collected({ resourceSpans }: Export): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name, kind, attributes = [], events = [], status }) => ({
        traceId,
        spanId,
        parentSpanId,
        name,
        kind,
        attributes: plain(attributes),
        resource: plain(resource.attributes),
        events: events.map((event) => ({ name: event.name, at: Number(BigInt(event.timeUnixNano) / 1_000_000n) })),
        failed: status?.code === 2,
      })),
    ),
  );
}

function plain(attributes: KeyValues): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));
}

function valueOf(value: Value): unknown {
  if (value.arrayValue) return value.arrayValue.values.map(valueOf);
  return value.intValue === undefined ? (value.stringValue ?? value.boolValue ?? value.doubleValue) : Number(value.intValue);
}
