import {
  type Attributes as ApiAttributes,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span as ApiSpan,
  SpanKind as ApiKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Attributes, Span, SpanKind } from '../../ports/index.js';
import { currentFields } from './log-fields.js';

const KINDS: Readonly<Record<SpanKind, ApiKind>> = { internal: ApiKind.INTERNAL, server: ApiKind.SERVER, client: ApiKind.CLIENT, consumer: ApiKind.CONSUMER };

/** A no-op until tracing is started. */
const tracer = trace.getTracer('verbatim');

export function inSpan<T>(name: string, attributes: Attributes, work: (span: Span) => Promise<T>, kind: SpanKind = 'internal'): Promise<T> {
  return tracer.startActiveSpan(name, { kind: KINDS[kind], attributes: { ...currentFields(), ...toApi(attributes) } }, async (span) => {
    try {
      return await work(handle(span));
    } catch (error) {
      // A message may quote a conversation, so only the error's name is recorded.
      const type = nameOf(error);
      span.recordException({ name: type });
      span.setAttribute('error.type', type);
      span.setStatus({ code: SpanStatusCode.ERROR, message: type });
      throw error;
    } finally {
      span.end();
    }
  });
}

export function noteEvent(name: string, at?: number): void {
  trace.getActiveSpan()?.addEvent(name, at);
}

export function traceparentHere(): string | null {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

export function inTrace<T>(traceparent: string | null, work: () => T): T {
  return context.with(traceparent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent }), work);
}

/** The fields of a log line that name its trace and span. */
export function traceFields(): Readonly<Record<string, string>> {
  const here = trace.getActiveSpan()?.spanContext();
  return here ? { traceId: here.traceId, spanId: here.spanId } : {};
}

function handle(span: ApiSpan): Span {
  return {
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(toApi(attributes)),
    failed: (reason) => void span.setStatus({ code: SpanStatusCode.ERROR, message: reason }),
  };
}

function toApi(attributes: Attributes): ApiAttributes {
  return attributes as ApiAttributes;
}

/** The code of an error (DomainError, model errors and errors of Node have one), else its name. */
function nameOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return typeof error;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && typeof error.name === 'string' ? error.name : 'Error';
}
