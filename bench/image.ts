import { createImagePipeline } from '#api/images/image-pipeline.ts';
import { type BenchOptions, measureMs, type Row } from './load/measurements.ts';
import { makePhoto } from './load/photo.ts';
import { median } from './load/quantiles.ts';

const TARGET_MS = 200;

/** Measures how long it takes to encode a photo of 12 megapixels in the two stored sizes. */
export async function benchImage({ rounds }: BenchOptions): Promise<Row[]> {
  const pipeline = createImagePipeline();
  const photos = await Promise.all([0, 1].map(makePhoto));
  const times: number[] = [];
  // Round -1 warms up and is not counted.
  for (let round = -1; round < rounds; round += 1) {
    for (const photo of photos) {
      const ms = await measureMs(() => pipeline.process(photo));
      if (round >= 0) times.push(ms);
    }
  }
  const ms = median(times);
  return [
    {
      metric: 'photo of 12 megapixels to two sizes, ms',
      value: `${ms.toFixed(0)} ms`,
      comparedValue: ms,
      target: { max: TARGET_MS },
    },
  ];
}
