export type Labels = Readonly<Record<string, string>>;

/** Names of metrics; the adapter has the help text and labels of each. */
export type CounterName =
  | 'http_requests'
  | 'turns'
  | 'model_requests'
  | 'model_tokens'
  | 'payloads'
  | 'hook_runs'
  | 'prompt_keywords'
  | 'attachments'
  | 'tool_calls'
  | 'compactions'
  | 'titles'
  | 'tlog_leaves'
  | 'anchors'
  | 'audits'
  | 'erased_sessions'
  | 'erasure_rounds'
  | 'schedule_runs'
  | 'live_received'
  | 'requests_refused'
  | 'refused_logs'
  | 'blob_store_operations'
  | 'archive_operations'
  | 'replica_reads';
export type TimerName =
  | 'http_request_seconds'
  | 'turn_seconds'
  | 'model_request_seconds'
  | 'prompt_wait_seconds'
  | 'prompt_stage_seconds'
  | 'first_delta_seconds'
  | 'hook_seconds'
  | 'tool_seconds';
export type GaugeName =
  | 'requests_waiting'
  | 'audit_lag_leaves'
  | 'tlog_late_seconds'
  | 'erasure_oldest_due_seconds'
  | 'blob_removals_oldest_seconds'
  | 'blob_removals_due'
  | 'archived_logs'
  | 'archived_bytes'
  | 'archive_oldest_due_seconds'
  | 'event_streams'
  | 'turns_running'
  | 'session_cache_sessions'
  | 'session_cache_bytes';

/** Attributes of a span: ids, names and numbers, never content of a conversation. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** OpenTelemetry span kind. */
export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

/** An open span. */
export interface Span {
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Sets error status without an exception. */
  failed(reason: string): void;
}

export abstract class Telemetry {
  /** Adds these fields to all logs and spans made while `work` runs, including asynchronous work it starts. Nested calls add up. */
  abstract within<T>(fields: Labels, work: () => T): T;
  /** The current fields, such as `requestId` and `workload`. */
  abstract fields(): Labels;
  /** Runs `work` at once in a child span of the current one. An exception is recorded by its name and rethrown. */
  abstract span<T>(name: string, attributes: Attributes, work: (span: Span) => Promise<T>, kind?: SpanKind): Promise<T>;
  /** Adds an event to the current span. `at`: milliseconds since the epoch; absent: now. */
  abstract event(name: string, at?: number): void;
  /** `traceparent` (W3C Trace Context) of the current span; null when nothing is traced. */
  abstract traceContext(): string | null;
  /** Runs `work` in the trace of `traceparent`; in a new one when it is null or malformed. */
  abstract continued<T>(traceparent: string | null, work: () => T): T;
  abstract count(name: CounterName, labels: Labels, by?: number): void;
  abstract observe(name: TimerName, labels: Labels, seconds: number): void;
  abstract gauge(name: GaugeName, value: number): void;
  /** All metrics in the Prometheus text format. */
  abstract exposition(): Promise<{ readonly contentType: string; readonly text: string }>;
}
