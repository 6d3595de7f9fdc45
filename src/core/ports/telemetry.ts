export type Labels = Readonly<Record<string, string>>;

/** What is counted, timed and gauged; the adapter knows each one's help text and labels. */
export type CounterName =
  | 'http_requests'
  | 'turns'
  | 'model_requests'
  | 'model_tokens'
  | 'hook_runs'
  | 'prompt_keywords'
  | 'attachments'
  | 'tool_calls'
  | 'compactions';
export type TimerName =
  | 'http_request_seconds'
  | 'turn_seconds'
  | 'model_request_seconds'
  | 'prompt_wait_seconds'
  | 'prompt_stage_seconds'
  | 'first_delta_seconds'
  | 'hook_seconds'
  | 'tool_seconds';
export type GaugeName = 'event_streams' | 'turns_running';

/** What a span says of itself: ids, names and figures, never a word of a conversation. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Who is at the other end: a caller (`server`), somebody we call (`client`), whoever put a job into the queue (`consumer`), nobody. */
export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

/** A piece of work in a trace, while it goes on. */
export interface Span {
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** It went wrong, though nothing is thrown. */
  failed(reason: string): void;
}

export abstract class Telemetry {
  /** Everything logged while `work` runs, and by what it starts, carries these fields and those of the calls around it; so do the spans. */
  abstract within<T>(fields: Labels, work: () => T): T;
  /** The fields in force here, such as `requestId` and `workload`. */
  abstract fields(): Labels;
  /** A span around `work`, below the one in force here. `work` is called at once; what it throws is noted by its name and thrown on. */
  abstract span<T>(name: string, attributes: Attributes, work: (span: Span) => Promise<T>, kind?: SpanKind): Promise<T>;
  /** Notes a moment on the span in force here. `at`: milliseconds since the epoch; absent, now. */
  abstract event(name: string, at?: number): void;
  /** The place in the trace in force here, as the header `traceparent` of W3C Trace Context says it; null where nothing is traced. */
  abstract traceContext(): string | null;
  /** Runs `work` as a part of the trace that a `traceparent` names; of one of its own when that is null or malformed. */
  abstract continued<T>(traceparent: string | null, work: () => T): T;
  abstract count(name: CounterName, labels: Labels, by?: number): void;
  abstract observe(name: TimerName, labels: Labels, seconds: number): void;
  abstract gauge(name: GaugeName, value: number): void;
  /** All figures in the Prometheus text format. */
  abstract exposition(): Promise<{ readonly contentType: string; readonly text: string }>;
}
