using System.Threading.Channels;

namespace Broker.Cli.Serving;

/// <summary>
/// Passes requests to a running broker, from signals, from the Windows service manager or from a test. Thread-safe.
/// </summary>
internal sealed class ServeControl : IDisposable
{
    private readonly CancellationTokenSource _stop;

    // The channel drops requests when it is full, because repeated requests need not each be executed.
    private readonly Channel<ControlRequest> _requests = Channel.CreateBounded<ControlRequest>(
        new BoundedChannelOptions(8) { FullMode = BoundedChannelFullMode.DropWrite });

    // The requester that waits for the result of the next reload.
    private ReloadRequest? _reload;

    public ServeControl(CancellationToken stop = default)
    {
        _stop = CancellationTokenSource.CreateLinkedTokenSource(stop);
        _stop.Token.Register(() => _requests.Writer.TryComplete());
    }

    /// <summary>Cancelled when a stop is requested.</summary>
    public CancellationToken Stop => _stop.Token;

    /// <summary>The requests, in order. They end when a stop is requested.</summary>
    public ChannelReader<ControlRequest> Requests => _requests.Reader;

    public void Request(ControlRequest request) => _requests.Writer.TryWrite(request);

    /// <summary>Requests a reload, and completes when it has been executed.</summary>
    /// <exception cref="ServeStartException">The reload was refused; the message contains the problems.</exception>
    public Task ReloadAsync()
    {
        ReloadRequest request = new();
        request = Interlocked.CompareExchange(ref _reload, request, null) ?? request;
        Request(ControlRequest.Reload);
        return request.WaitAsync();
    }

    /// <summary>
    /// Returns the requester of the reload that begins now; null if none waits for the result. A later requester waits
    /// for the next reload, because the reload that begins now may have read the settings already.
    /// </summary>
    public ReloadRequest? TakeReload() => Interlocked.Exchange(ref _reload, null);

    /// <summary>Requests a stop. Returns false if a stop was requested before.</summary>
    public bool RequestStop()
    {
        if (_stop.IsCancellationRequested)
        {
            return false;
        }

        // Cancels on another thread, because the cancellation callbacks run the whole stop.
        _ = _stop.CancelAsync();
        return true;
    }

    public void Dispose() => _stop.Dispose();
}
