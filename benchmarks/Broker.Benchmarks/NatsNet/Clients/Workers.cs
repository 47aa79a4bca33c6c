namespace Broker.Benchmarks.NatsNet.Clients;

/// <summary>Does a task many times, as many at a time as there are workers.</summary>
internal static class Workers
{
    /// <param name="count">How often the task is done, by all workers together.</param>
    /// <param name="workers">The number of workers.</param>
    /// <param name="one">The task.</param>
    internal static Task RunAsync(int count, int workers, Func<Task> one)
    {
        async Task WorkAsync(int worker)
        {
            for (int i = worker; i < count; i += workers)
            {
                await one().ConfigureAwait(false);
            }
        }

        return Task.WhenAll(Enumerable.Range(0, workers).Select(WorkAsync));
    }
}
