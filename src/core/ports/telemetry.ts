export type Labels = Readonly<Record<string, string>>;

/** What is counted, timed and gauged; the adapter knows each one's help text and labels. */
export type CounterName = 'http_requests' | 'turns' | 'model_requests' | 'model_tokens' | 'hook_runs' | 'prompt_keywords' | 'attachments';
export type TimerName = 'http_request_seconds' | 'turn_seconds' | 'model_request_seconds';
export type GaugeName = 'event_streams';

export abstract class Telemetry {
  /** Everything logged while `work` runs, and by what it starts, carries these fields and those of the calls around it. */
  abstract within<T>(fields: Labels, work: () => T): T;
  /** The fields in force here, such as `requestId` and `workload`. */
  abstract fields(): Labels;
  abstract count(name: CounterName, labels: Labels, by?: number): void;
  abstract observe(name: TimerName, labels: Labels, seconds: number): void;
  abstract gauge(name: GaugeName, value: number): void;
  /** All figures in the Prometheus text format. */
  abstract exposition(): Promise<{ readonly contentType: string; readonly text: string }>;
}
