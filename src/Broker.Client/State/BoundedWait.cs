namespace Broker.Client;

/// <summary>Waits for tasks that may never complete.</summary>
internal static class BoundedWait
{
    /// <summary>The time that is added to the transport's own limit for an orderly close.</summary>
    internal static readonly TimeSpan CloseGrace = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Waits for a task, but no longer than the limit. The owner of shared event loops may have stopped them too early,
    /// and then the task would never complete.
    /// </summary>
    internal static async Task AtMostAsync(Task task, TimeSpan limit)
    {
        try
        {
            await task.WaitAsync(limit).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // Messages that were not sent are counted as lost.
        }
    }
}
