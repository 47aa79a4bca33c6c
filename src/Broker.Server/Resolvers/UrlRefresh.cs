namespace Broker.Server;

/// <summary>
/// Fetches the accounts in use again from the web server of a URL resolver, one after the other, so that a newer JWT
/// applies without a restart.
/// </summary>
internal sealed class UrlRefresh(ServerCore core, AccountLoader loader, UrlResolver options) : IDisposable
{
    private readonly CancellationTokenSource _stop = new();

    internal void Start() => _ = RunAsync();

    public void Dispose() => _stop.Cancel();

    private async Task RunAsync()
    {
        try
        {
            while (true)
            {
                await Task.Delay(options.Interval, core.Time, _stop.Token).ConfigureAwait(false);
                await RefreshAsync().ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException)
        {
            // The server stops.
        }
    }

    private async Task RefreshAsync()
    {
        try
        {
            await loader.RefreshAllAsync(_stop.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not OutOfMemoryException && !_stop.IsCancellationRequested)
        {
            core.Log.Fault(e);
        }
    }
}
