import { type Attributes, type Model, type ModelDelta, type Telemetry } from '../../ports/index.js';
import { delegate } from './delegate.js';
import { type ModelAnswer, ModelError } from '../../../packages/normalizer/models/model-answer.js';

/** A span per model request, with the attributes of OpenTelemetry's semantic conventions for generative AI. */
export function tracedModel(inner: Model, telemetry: Telemetry): Model {
  return delegate(inner, {
    answer: (request, onDelta, signal) => {
      const { model, requestId, ordinal } = request;
      const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': inner.provider, 'gen_ai.request.model': model, requestId, ordinal };
      return telemetry.span(
        `chat ${model}`,
        attributes,
        async (span) => {
          let started = false;
          const observe = (delta: ModelDelta): void => {
            if (!started) telemetry.event('first_delta');
            started = true;
            onDelta(delta);
          };
          try {
            const answer = await inner.answer(request, observe, signal);
            span.set(answered(answer));
            return answer;
          } catch (error) {
            if (error instanceof ModelError) span.set({ ...status(error.status), ...named(error.providerRequestId) });
            throw error;
          }
        },
        'client',
      );
    },
  });
}

function answered({ message, usage, providerRequestId }: ModelAnswer): Attributes {
  return {
    ...status(200),
    ...named(providerRequestId),
    'gen_ai.response.id': message.id,
    'gen_ai.response.model': message.model,
    'gen_ai.response.finish_reasons': message.stop_reason === null ? [] : [message.stop_reason],
    'gen_ai.usage.input_tokens': usage.input_tokens ?? 0,
    'gen_ai.usage.output_tokens': usage.output_tokens ?? 0,
    'gen_ai.usage.cache_read.input_tokens': usage.cache_read_input_tokens ?? 0,
    'gen_ai.usage.cache_creation.input_tokens': usage.cache_creation_input_tokens ?? 0,
  };
}

const status = (code: number | null): Attributes => (code === null ? {} : { 'http.response.status_code': code });

const named = (providerRequestId: string | null): Attributes => (providerRequestId === null ? {} : { providerRequestId });
