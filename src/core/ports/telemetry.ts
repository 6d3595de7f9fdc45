export type Labels = Readonly<Record<string, string>>;

/** What is counted, timed and gauged; the adapter knows each one's help text and labels. */
export type CounterName = 'http_requests' | 'turns' | 'model_requests' | 'model_tokens' | 'hook_runs' | 'prompt_keywords' | 'attachments' | 'mcp_failures';
export type TimerName = 'http_request_seconds' | 'turn_seconds' | 'model_request_seconds';
export type GaugeName = 'event_streams';

export interface SpanOptions {
  readonly attributes?: Labels;
  /** `server`: answers somebody outside; `client`: asks somebody outside; `consumer`: does what was left in a queue. Left out: none of these. */
  readonly kind?: 'server' | 'client' | 'consumer';
  /** A W3C `traceparent`: what this belongs to, when that is not the work around it. One that is none of these counts as left out. */
  readonly parent?: string;
}

/** A piece of work under way. */
export interface Span {
  annotate(attributes: Labels): void;
  /** Instead of the name it began with. */
  rename(name: string): void;
}

export abstract class Telemetry {
  /** Everything logged while `work` runs, and by what it starts, carries these fields and those of the calls around it. */
  abstract within<T>(fields: Labels, work: () => T): T;
  /** The fields in force here, such as `requestId` and `workload`. */
  abstract fields(): Labels;
  /** Follows `work` as a span of a trace, below the one it is part of. Where nobody collects traces, it is the work and nothing else. */
  abstract span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** A moment of the span that is under way here. */
  abstract event(name: string): void;
  /** The span that is under way here, as a W3C `traceparent`; null when there is none. */
  abstract traceparent(): string | null;
  abstract count(name: CounterName, labels: Labels, by?: number): void;
  abstract observe(name: TimerName, labels: Labels, seconds: number): void;
  abstract gauge(name: GaugeName, value: number): void;
  /** All figures in the Prometheus text format. */
  abstract exposition(): Promise<{ readonly contentType: string; readonly text: string }>;
}
