namespace Broker.Cli.Serving;

/// <summary>A request for a reload whose requester waits for the result. Thread-safe.</summary>
internal sealed class ReloadRequest
{
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Completes when the reload has been executed; fails if it was refused.</summary>
    public Task WaitAsync() => _done.Task.WaitAsync(CancellationToken.None);

    /// <summary>Completes the request.</summary>
    /// <param name="problems">The reasons why the reload was refused; empty after a success.</param>
    public void Complete(IReadOnlyList<string> problems)
    {
        if (problems.Count == 0)
        {
            _done.TrySetResult();
        }
        else
        {
            _done.TrySetException(new ServeStartException(string.Join("; ", problems)));
        }
    }
}
