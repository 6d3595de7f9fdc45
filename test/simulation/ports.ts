export { Model, type ModelDelta, type ModelRequest } from '../../src/ports/index.js';
export { type ModelAnswer, ModelError } from '../../packages/normalizer/models/model-answer.js';
