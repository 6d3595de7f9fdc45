import { context, isSpanContextValid, propagation, ROOT_CONTEXT, type Span as ApiSpan, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { Refusal } from '../../core/errors.js';
import type { Span, SpanOptions } from '../../core/ports.js';
import { withFields } from './log-fields.js';

/* OpenTelemetry's interface alone: until `startTracing` puts something behind it, spans are nothing and go nowhere. */

const KINDS: Readonly<Record<NonNullable<SpanOptions['kind']>, SpanKind>> = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };

const NOTHING: Span = { annotate: () => undefined, rename: () => undefined };

export function inSpan<T>(name: string, { attributes = {}, kind, parent }: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const around = parent === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, { traceparent: parent });
  const span = trace.getTracer('verbatim').startSpan(name, { attributes, kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind] }, around);
  if (!span.isRecording()) return context.with(trace.setSpan(around, span), async () => work(NOTHING));
  const { traceId } = span.spanContext();
  return context.with(trace.setSpan(around, span), () => withFields({ traceId }, () => followed(span, work)));
}

async function followed<T>(span: ApiSpan, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await work({ annotate: (attributes) => void span.setAttributes(attributes), rename: (name) => void span.updateName(name) });
  } catch (error) {
    // A refusal is an answer, and not a fault.
    if (error instanceof Refusal) span.setAttribute('refusal.code', error.code);
    else span.setStatus({ code: SpanStatusCode.ERROR, message: nameOf(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** What kind of fault it was; its message may hold what somebody wrote. */
function nameOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return typeof error;
  const { name, code } = error as { readonly name?: unknown; readonly code?: unknown };
  return [name, code].filter((part) => typeof part === 'string').join(' ');
}

export function spanEvent(name: string): void {
  trace.getActiveSpan()?.addEvent(name);
}

export function activeTraceparent(): string | null {
  const span = trace.getActiveSpan()?.spanContext();
  if (!span || !isSpanContextValid(span)) return null;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}
