import { runHostileModel } from './simulation/hostile-model.ts';
const t=Date.now();
const r=await runHostileModel({count:+process.argv[2]!,seed:+process.argv[3]!});
console.log(r, Date.now()-t, process.memoryUsage().rss/1e6);
