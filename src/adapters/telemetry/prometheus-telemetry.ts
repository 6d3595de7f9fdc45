import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type CounterName, type GaugeName, type Labels, type Span, type SpanOptions, Telemetry, type TimerName } from '../../core/ports.js';
import { currentFields, withFields } from './log-fields.js';
import { activeTraceparent, inSpan, spanEvent } from './spans.js';

interface Figure {
  readonly help: string;
  readonly labelNames: readonly string[];
}

const COUNTERS: Readonly<Record<CounterName, Figure>> = {
  http_requests: { help: 'HTTP requests answered.', labelNames: ['method', 'route', 'status'] },
  turns: { help: 'Turns that came to an end.', labelNames: ['outcome'] },
  model_requests: { help: 'Calls of the model.', labelNames: ['outcome'] },
  model_tokens: { help: 'Tokens as the model API counted them.', labelNames: ['kind'] },
  hook_runs: { help: 'Hooks run.', labelNames: ['event', 'outcome'] },
  prompt_keywords: { help: 'Prompts that held a watched keyword.', labelNames: ['kind'] },
  attachments: { help: 'Attachments that providers gave, and providers that failed or were late.', labelNames: ['provider', 'outcome'] },
  mcp_failures: { help: 'Failures to reach an MCP server.', labelNames: [] },
};

const TIMERS: Readonly<Record<TimerName, Figure>> = {
  http_request_seconds: { help: 'From an HTTP request to the end of its answer.', labelNames: ['method', 'route'] },
  turn_seconds: { help: 'From the start of a turn to its end.', labelNames: ['outcome'] },
  model_request_seconds: { help: 'From a call of the model to the end of its answer.', labelNames: ['outcome'] },
};

const GAUGES: Readonly<Record<GaugeName, Figure>> = {
  event_streams: { help: 'Event streams open now.', labelNames: [] },
};

const PREFIX = 'verbatim_';
const SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300];

/** Figures for Prometheus, spans for OpenTelemetry, and the fields that tie log lines together. */
export class PrometheusTelemetry extends Telemetry {
  readonly #registry = new Registry();
  readonly #counters = mapOf(COUNTERS, (name, figure) => new Counter(this.#named(`${name}_total`, figure)));
  readonly #timers = mapOf(TIMERS, (name, figure) => new Histogram({ ...this.#named(name, figure), buckets: SECONDS }));
  readonly #gauges = mapOf(GAUGES, (name, figure) => new Gauge(this.#named(name, figure)));

  constructor() {
    super();
    collectDefaultMetrics({ register: this.#registry, prefix: PREFIX });
  }

  override within<T>(fields: Labels, work: () => T): T {
    return withFields(fields, work);
  }

  override fields(): Labels {
    return currentFields();
  }

  override span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    return inSpan(name, options, work);
  }

  override event(name: string): void {
    spanEvent(name);
  }

  override traceparent(): string | null {
    return activeTraceparent();
  }

  override count(name: CounterName, labels: Labels, by = 1): void {
    this.#counters[name].inc(labels, by);
  }

  override observe(name: TimerName, labels: Labels, seconds: number): void {
    this.#timers[name].observe(labels, seconds);
  }

  override gauge(name: GaugeName, value: number): void {
    this.#gauges[name].set(value);
  }

  override async exposition(): Promise<{ readonly contentType: string; readonly text: string }> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  #named(name: string, { help, labelNames }: Figure) {
    return { name: PREFIX + name, help, labelNames: [...labelNames], registers: [this.#registry] };
  }
}

function mapOf<Name extends string, Made>(figures: Readonly<Record<Name, Figure>>, make: (name: string, figure: Figure) => Made): Readonly<Record<Name, Made>> {
  return Object.fromEntries(Object.entries<Figure>(figures).map(([name, figure]) => [name, make(name, figure)])) as Record<Name, Made>;
}
